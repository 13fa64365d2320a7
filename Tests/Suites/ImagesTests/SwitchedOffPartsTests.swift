import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Parts of pictures whose format or codec is switched off")
    struct SwitchedOffPartsTests {
        private static let hidden = "images/avif-sampl__fox.profile0.8bpc.yuv420.avif"

        private func failure(
            _ bytes: [UInt8],
            _ format: MediaFormat,
            without names: [String],
        ) throws -> DecodeError? {
            let disabled = DisabledFormats.reading(names).disabled
            let (output, failure) = try transform(MemorySource(bytes), format, without: disabled)
            if failure?.reason == .disabled { #expect(output.source == nil && output.emitted.isEmpty) }
            return failure
        }

        @Test(
            "a HEIF file is refused for the coding of its pictures, whatever its brand",
            .needsSharedMedia,
            arguments: [("av1", true), ("hevc", false), ("vp9", false), ("avif", false)],
        )
        func codings(name: String, isRefused: Bool) throws {
            // An AVIF whose brand says HEIC, so that only its pictures tell.
            let bytes = try SharedMedia.bytes(Self.hidden)
            #expect(try failure(bytes, .heic, without: [name, "heic"])?.reason == .disabled)
            let reason = try failure(bytes, .avif, without: name == "avif" ? [] : [name])?.reason
            #expect((reason == .disabled) == isRefused)
            #expect(try HEIFCodecsProbe(bytes).refuses([name]) == isRefused)
        }

        @Test(
            "a HEIF file that hides its pictures is refused while a coding of such files is switched off",
            .needsSharedMedia
        )
        func hidden() throws {
            let bytes = try SharedMedia.bytes(Self.hidden)
            let renamed = bytes.replacing(Array("iinf".utf8), with: Array("free".utf8))
            #expect(try HEIFCodecsProbe(renamed).refuses(["hevc"]))
            #expect(try HEIFCodecsProbe(renamed).refuses(["vp9"]) == false)
            // A second list of pictures behind the first one.
            let second =
                bytes + Self.box("meta", [0, 0, 0, 0] + Self.box("iinf", [0, 0, 0, 0, 0, 1] + Self.item("hvc1")))
            #expect(try HEIFCodecsProbe(second).refuses(["hevc"]))
            #expect(try HEIFCodecsProbe(bytes).refuses(["hevc"]) == false)
            let endless = bytes + [0, 0, 0, 0] + Array("meta".utf8) + Self.item("hvc1")
            #expect(try HEIFCodecsProbe(endless).refuses(["hevc"]))
            let damaged = bytes + [0, 0, 0, 3] + Array("skip".utf8)
            #expect(try HEIFCodecsProbe(damaged).refuses(["hevc"]))
        }

        private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(8 + content.count)] + Array(type.utf8) + content
        }

        private static func item(_ type: String) -> [UInt8] {
            box("infe", [2, 0, 0, 0, 0, 1, 0, 0] + Array(type.utf8) + [0])
        }

        @Test(
            "a TIFF is refused for the JPEG or WebP in it",
            arguments: [
                (7, "jpeg", true), (6, "jpeg", true), (1, "jpeg", false), (50001, "webp", true), (7, "webp", false),
            ],
        )
        func compressions(number: Int, name: String, isRefused: Bool) throws {
            var builder = TIFFBuilder()
            builder.more = [259: number]
            let reason = try failure(builder.bytes([1, 2, 3]), .tiff, without: [name])?.reason
            #expect((reason == .disabled) == isRefused)
        }

        @Test("a TIFF whose compression readers may take differently is refused while JPEG is switched off")
        func unclearCompressions() throws {
            // The last one is another value's tag, which becomes that of the compression.
            let (short, byte, twice): ([UInt8], [UInt8], [UInt8]) = ([3, 1, 3, 0], [3, 1, 1, 0], [4, 1, 3, 0])
            var builder = TIFFBuilder()
            builder.more = [259: 7, 260: 1]
            let plain = builder.bytes([1, 2, 3])
            // As a number of one byte, 7 with anything behind it.
            builder.more = [259: 0x0507]
            let single = builder.bytes([1, 2, 3]).replacing(short, with: byte)
            builder.more = [259: 1].merging((1...210).map { ($0, 1) }) { $1 }
            let far = builder.bytes([1, 2, 3])
            for bytes in [plain, single, plain.replacing(twice, with: short), far] {
                #expect(try failure(bytes, .tiff, without: ["jpeg"])?.reason == .disabled)
                #expect(try failure(bytes, .tiff, without: ["gif"])?.reason != .disabled)
            }
        }

        @Test("the thumbnail in EXIF data is not decoded while JPEG is switched off", .needsSharedMedia)
        func thumbnail() throws {
            let bytes = try Self.webPWithThumbnail()
            let rungs: Set<Rung> = [.embeddedThumbnail]
            #expect(try transform(MemorySource(bytes), .webp, rungs: rungs).output.rungs == [.embeddedThumbnail])
            let disabled = DisabledFormats.reading(["jpeg"]).disabled
            let (output, failure) = try transform(MemorySource(bytes), .webp, rungs: rungs, without: disabled)
            #expect(failure == nil && output.source != nil && output.rungs.isEmpty)
        }

        /// Returns a WebP with the EXIF data of a camera's JPEG.
        private static func webPWithThumbnail() throws -> [UInt8] {
            let picture = try SharedMedia.bytes("images/sharp__4.webp")
            let size = try #require(try transform(MemorySource(picture), .webp).output.source)
            let photo = try SharedMedia.bytes("images/exif-sampl__DSCN0010.jpg")
            let start = try #require(photo.firstRange(of: Array("Exif\0\0".utf8))).lowerBound
            let length = Int(photo[start - 2]) << 8 | Int(photo[start - 1])
            let (width, height) = ((size.width ?? 1) - 1, (size.height ?? 1) - 1)
            let extended: [UInt8] = [0x08, 0, 0, 0] + little(width).prefix(3) + little(height).prefix(3)
            let body =
                Array("WEBP".utf8) + chunk("VP8X", extended) + picture.dropFirst(12)
                + chunk("EXIF", Array(photo[start..<start + length - 2]))
            return Array("RIFF".utf8) + little(body.count) + body
        }

        private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(content.count) + content + (content.count % 2 == 0 ? [] : [0])
        }

        private static func little(_ number: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    /// The codings of the pictures in `bytes`.
    private struct HEIFCodecsProbe {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func refuses(_ names: [String]) throws -> Bool {
            do throws(DecodeError) {
                try HEIFCodecs(of: MemorySource(bytes)).check(against: DisabledFormats.reading(names).disabled)
                return false
            } catch {
                return error.reason == .disabled
            }
        }
    }
}
