import DecoderWire
import Media
import Support
import Testing

@testable import Images

/// A source with bytes in a place where no reader looks for the picture.
struct HidingPlace: CustomTestStringConvertible, Sendable {
    static let secret = Array("CANARY-PII".utf8)

    var testDescription: String
    var format: MediaFormat
    /// A Boolean value that indicates whether the picture keeps its own coding.
    var isRemuxed = true
    var source: @Sendable () throws -> [UInt8]
}

extension ImagesTests {
    @Suite("Places in containers that hold no picture")
    struct ContainerCanaryTests {
        @Test("nothing but the picture is delivered", arguments: png + jpeg + gif)
        func places(place: HidingPlace) throws {
            let source = try place.source()
            #expect(source.contains(HidingPlace.secret))
            let (output, failure) = try transform(MemorySource(source), place.format)
            #expect(failure == nil)
            #expect(output.last?.report.rung.isLast == true)
            #expect((output.last?.report.rung == .remuxed) == place.isRemuxed)
            for emitted in output.emitted { #expect(!emitted.bytes.contains(HidingPlace.secret)) }
            let last = try #require(output.last)
            let frames = last.report.frames ?? 1
            let expected = try Pixels(source, place.format, frames: frames, isStrict: false)
            #expect(try Pixels(last).likeness(to: expected) > (place.isRemuxed ? 90 : 30))
        }

        private static let secret = HidingPlace.secret

        // MARK: PNG

        private static func picture(_ colors: PNGBuilder.Colors = .rgb) -> PNGBuilder.Parts {
            PNGBuilder.Parts(30, 20, colors) { x, y in
                [UInt8(x * 8), UInt8(y * 8), 90, 255].prefix(colors.bands) + []
            }
        }

        private static func pngPlace(
            _ name: String,
            isRemuxed: Bool = true,
            _ source: @escaping @Sendable (PNGBuilder.Parts) -> [UInt8],
        ) -> HidingPlace {
            HidingPlace(testDescription: "PNG: \(name)", format: .png, isRemuxed: isRemuxed) { source(picture()) }
        }

        private static let png: [HidingPlace] = [
            pngPlace("behind the end") { $0.file() + secret },
            pngPlace("behind the compressed pixels") { $0.file(pixels: [$0.pixels + secret]) },
            pngPlace("in a second part behind the compressed pixels") { $0.file(pixels: [$0.pixels, secret]) },
            pngPlace("in the compressed pixels, below the last row", isRemuxed: false) {
                $0.file(pixels: [PNGBuilder.zlibStored($0.rows + secret)])
            },
            pngPlace("in the chunk at the end") { $0.file(end: secret) },
            pngPlace("in a suggested palette") { $0.file(extra: [("PLTE", secret + [1, 2])]) },
            pngPlace("in a gamma that is too long") { $0.file(extra: [("gAMA", [0, 0, 0x60, 0] + secret)]) },
            pngPlace("in primaries that are no points") {
                $0.file(extra: [("cHRM", secret + [UInt8](repeating: 0, count: 22))])
            },
            pngPlace("in a rendering intent") { $0.file(extra: [("sRGB", secret)]) },
            pngPlace("in a transparent color that is too long", isRemuxed: false) {
                $0.file(extra: [("tRNS", secret)])
            },
            pngPlace("in a chunk between the pixels and the end") { $0.file(behind: [("tEXt", secret)]) },
        ]

        // MARK: JPEG

        private static func plainJPEG() throws -> [UInt8] {
            let picture = PNGBuilder.picture(300, 200) { x, y in [UInt8(x & 255), UInt8(y), 90] }
            return try #require(try transform(MemorySource(picture), .png, rungs: [.downscaled]).output.last).bytes
        }

        private static func jpegPlace(
            _ name: String,
            isRemuxed: Bool = true,
            _ source: @escaping @Sendable ([UInt8]) -> [UInt8],
        ) -> HidingPlace {
            HidingPlace(testDescription: "JPEG: \(name)", format: .jpeg, isRemuxed: isRemuxed) {
                source(try plainJPEG())
            }
        }

        /// 64 bytes with the secret, each of which is a legal step of a quantisation table.
        private static let steps = Array((secret + [UInt8](repeating: 1, count: 64)).prefix(64))

        private static let jpeg: [HidingPlace] =
            ((0xE0...0xEF) + [0xFE]).map { (marker: UInt8) in
                jpegPlace("in segment \(marker)") { JPEGBuilder.with(marker, secret, in: $0) }
            } + [
                jpegPlace("behind the end") { $0 + secret },
                jpegPlace("between the last pixel and the end", isRemuxed: false) {
                    $0.dropLast(2) + secret + [0xFF, 0xD9]
                },
                jpegPlace("in a quantisation table that no component has") {
                    JPEGBuilder.with(0xDB, [3] + steps, in: $0)
                },
                jpegPlace("in a quantisation table that another one replaces") {
                    JPEGBuilder.with(0xDB, [0] + steps, in: $0)
                },
                jpegPlace("in a Huffman table that no scan uses") {
                    JPEGBuilder.with(
                        0xC4,
                        [0x13] + [UInt8](repeating: 0, count: 7) + [64] + [UInt8](repeating: 0, count: 8) + steps,
                        in: $0
                    )
                },
                jpegPlace("in the thumbnail of the first segment") {
                    JPEGBuilder.with(
                        0xE0,
                        Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 2, 2] + secret + [1, 1],
                        in: $0
                    )
                },
                jpegPlace("behind the colors in Adobe's segment") {
                    JPEGBuilder.with(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1] + secret, in: $0)
                },
            ]

        // MARK: GIF

        private static func gifPlace(
            _ name: String,
            isRemuxed: Bool = true,
            _ source: @escaping @Sendable () -> [UInt8],
        ) -> HidingPlace {
            HidingPlace(testDescription: "GIF: \(name)", format: .gif, isRemuxed: isRemuxed, source: source)
        }

        private static func animation(_ extensions: [UInt8] = [], behindPixels: [UInt8] = []) -> [UInt8] {
            GIFBuilder.animation(20, 10, frames: 3, delay: 7, extensions: extensions, behindPixels: behindPixels) {
                frame,
                x,
                y in x + y + frame * 20
            }
        }

        private static func block(_ label: UInt8, _ data: [UInt8]) -> [UInt8] {
            [0x21, label, UInt8(data.count)] + data + [0]
        }

        private static let gif: [HidingPlace] = [
            gifPlace("behind the end") { animation() + secret },
            gifPlace("behind the pixels of an image") { animation(behindPixels: secret) },
            gifPlace("in a comment") { animation(block(0xFE, secret)) },
            gifPlace("in a text") { animation(block(0x01, secret + [0, 0])) },
            gifPlace("in an unknown extension") { animation(block(0x77, secret)) },
            gifPlace("in another application's data") {
                animation([0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [10] + secret + [0])
            },
            gifPlace("behind the number of loops") {
                animation([0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 10] + secret + [0])
            },
            gifPlace("in a control that is too long", isRemuxed: false) { animation(block(0xF9, secret)) },
            gifPlace("in the colors that no pixel has") {
                var file = animation()
                file.replaceSubrange(13 + 120 * 3..<13 + 120 * 3 + secret.count, with: secret)
                return file
            },
            gifPlace("in many controls of the same image", isRemuxed: false) {
                // Four bytes each, three of which a reader may take.
                animation(block(0xF9, Array("CANA".utf8)) + block(0xFE, secret))
            },
        ]
    }
}
