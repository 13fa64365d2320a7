import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("What only a HEIF container tells")
    struct HEIFTests {
        /// An AVIF of 32x16 pixels: the left half is red, the right half blue. The upper right is transparent and the
        /// lower right half transparent. Its `irot` does not belong to the alpha channel.
        private static let transparent = """
            AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAGRbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAAAAAAAOcGl0
            bQAAAAAAAQAAACxpbG9jAAAAAEQAAAIAAQAAAAEAAAHRAAAAMwACAAAAAQAAAbkAAAAYAAAAQmlpbmYAAAAAAAIAAAAaaW5mZQIAAAAAAQAAYXYw
            MUNvbG9yAAAAABppbmZlAgAAAAACAABhdjAxQWxwaGEAAAAAGmlyZWYAAAAAAAAADmF1eGwAAgABAAEAAADOaXBycAAAAKZpcGNvAAAAFGlzcGUA
            AAAAAAAAIAAAABAAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBIAAAAAAAE2NvbHJuY2x4AAEADQAGgAAAAAlpcm90AwAAAA5waXhpAAAAAAEIAAAA
            DGF2MUOBABwAAAAAOGF1eEMAAAAAdXJuOm1wZWc6bXBlZ0I6Y2ljcDpzeXN0ZW1zOmF1eGlsaWFyeTphbHBoYQAAAAAgaXBtYQAAAAAAAAACAAEF
            AQKDBIUAAgUBBocIAQAAAFNtZGF0EgAKBRgQ//yqMg1E0AAARFJe2SKbTLoUEgAKCDgQ/+2gIaDSMiUTwmMmgADwgAAAAADGNznwUgqFEY5Ms2L2
            4/Rf0VgHHA6Bnv/L
            """
        /// An AVIF of 64x48 pixels of (200, 60, 40) with an alpha of 128, whose colors are multiplied by it, as Pillow
        /// writes it.
        private static let premultiplied = """
            AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAGUbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAAAAAAAO
            cGl0bQAAAAAAAQAAACxpbG9jAAAAAEQAAAIAAQAAAAEAAAHTAAAALgACAAAAAQAAAbwAAAAXAAAAQmlpbmYAAAAAAAIAAAAaaW5mZQIAAAAA
            AQAAYXYwMUNvbG9yAAAAABppbmZlAgAAAAACAABhdjAxQWxwaGEAAAAAKGlyZWYAAAAAAAAADnByZW0AAQABAAIAAAAOYXV4bAACAAEAAQAA
            AMNpcHJwAAAAnWlwY28AAAAUaXNwZQAAAAAAAABAAAAAMAAAABBwaXhpAAAAAAMICAgAAAAMYXYxQ4EgAAAAAAATY29scm5jbHgAAQANAAaA
            AAAADnBpeGkAAAAAAQgAAAAMYXYxQ4EAHAAAAAA4YXV4QwAAAAB1cm46bXBlZzptcGVnQjpjaWNwOnN5c3RlbXM6YXV4aWxpYXJ5OmFscGhh
            AAAAAB5pcG1hAAAAAAAAAAIAAQQBAoMEAAIEAQWGBwAAAE1tZGF0EgAKBhgVf72FQDILEYAAAQC764PkMuASAAoJOBV/vaQENBpAMh8SAkNK
            gEEEHyAAAM/MC9hr6oxA5vrQ3USGQ+qwtqgc
            """
        /// An AVIF of 32x16 pixels, with only brightness of limited range: from left to right black, gray and white.
        private static let monochrome = """
            AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOltZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAA
            AAABAAAAHmlsb2MAAAAARAAAAQABAAAAAQAAAQ0AAAAgAAAAKGlpbmYAAAAAAAEAAAAaaW5mZQIAAAAAAQAAYXYwMUNvbG9yAAAAAGhpcHJwAAAA
            SWlwY28AAAAUaXNwZQAAAAAAAAAgAAAAEAAAAA5waXhpAAAAAAEIAAAADGF2MUOBABwAAAAAE2NvbHJuY2x4AAEADQAGAAAAABdpcG1hAAAAAAAA
            AAEAAQQBAoMEAAAAKG1kYXQSAAoIGBD/7bAQ0GIyEkSBqkAAeQAgrr35FaxIT/7v+A==
            """

        private static func bytes(_ text: String) throws -> [UInt8] {
            [UInt8](try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters)))
        }

        /// Returns `file` with other bytes for the first box of a type and the start of its content.
        private static func changed(_ file: [UInt8], _ type: String, to bytes: [UInt8]) throws -> [UInt8] {
            var file = file
            let box = try #require(file.firstRange(of: Array(type.utf8)))
            file.replaceSubrange(box.lowerBound..<box.lowerBound + bytes.count, with: bytes)
            return file
        }

        @Test("colors that are multiplied by alpha are not darker than they were", arguments: ["prem", "free"])
        func premultiplied(reference: String) throws {
            let file = try Self.changed(Self.bytes(Self.premultiplied), "prem", to: Array(reference.utf8))
            let pixels = try Pixels(#require(try transform(MemorySource(file), .avif).output.last))
            let color = reference == "prem" ? [200, 60, 40, 128] : [100, 30, 20, 128]
            #expect(isNear(pixels.at(30, 20), color, within: 8))
        }

        @Test(
            "an alpha channel is turned with its picture",
            arguments: [
                ("irot", 0, (31, 0), (31, 15)), ("irot", 1, (0, 0), (15, 0)), ("irot", 2, (0, 15), (0, 0)),
                ("irot", 3, (15, 31), (0, 31)), ("imir", 0, (31, 15), (31, 0)), ("imir", 1, (0, 0), (0, 15)),
            ] as [(String, UInt8, (Int, Int), (Int, Int))]
        )
        func alpha(type: String, value: UInt8, transparent: (x: Int, y: Int), half: (x: Int, y: Int)) throws {
            let file = try Self.changed(Self.bytes(Self.transparent), "irot", to: Array(type.utf8) + [value])
            let (output, failure) = try transform(MemorySource(file), .avif)
            #expect(failure == nil)
            #expect(output.last?.report.format == .png)
            let pixels = try Pixels(#require(output.last))
            #expect(pixels.bands == 4)
            #expect(pixels.at(transparent.x, transparent.y)[3] == 0)
            #expect(abs(pixels.at(half.x, half.y)[3] - 128) <= 2)
            #expect(isNear(Array(pixels.at(half.x, half.y).prefix(3)), [40, 40, 200], within: 30))
            // The corners of the other half are opaque.
            let opaque = [(0, 0), (pixels.width - 1, 0), (0, pixels.height - 1), (pixels.width - 1, pixels.height - 1)]
                .filter { $0 != (transparent.x, transparent.y) && $0 != (half.x, half.y) }
            for (x, y) in opaque { #expect(isNear(pixels.at(x, y), [200, 40, 40, 255], within: 30)) }
        }

        @Test(
            "a turn and a mirroring are one EXIF orientation",
            arguments: [
                (0, nil, 1), (1, nil, 8), (2, nil, 3), (3, nil, 6), (0, true, 2), (0, false, 4), (1, true, 7),
                (1, false, 5), (2, true, 4), (3, true, 5), (3, false, 7),
            ] as [(Int, Bool?, Int)]
        )
        func orientation(quarters: Int, swapsSides: Bool?, expected: Int) {
            var turn = PictureTurn()
            turn.rotate(quarters: -quarters)
            if let swapsSides { turn.mirror(swapsSides: swapsSides) }
            #expect(turn.orientation == expected)
        }

        @Test("a monochrome picture of limited range has black and white")
        func limitedRange() throws {
            let (output, failure) = try transform(MemorySource(Self.bytes(Self.monochrome)), .avif)
            #expect(failure == nil)
            let pixels = try Pixels(#require(output.last))
            #expect(isNear(Array(pixels.at(3, 8).prefix(1)), [0], within: 3))
            #expect(isNear(Array(pixels.at(16, 8).prefix(1)), [128], within: 4))
            #expect(isNear(Array(pixels.at(29, 8).prefix(1)), [255], within: 3))
        }

        @Test(
            "matrices that libheif would take for another are refused",
            arguments: [0, 1, 6, 8, 9, 10, 11, 15, 17],
            [0, 0x80]
        )
        func matrix(matrix: UInt8, range: UInt8) throws {
            let colors = Array("colrnclx".utf8) + [0, 1, 0, 13, 0, matrix, range]
            let file = try Self.changed(Self.bytes(Self.transparent), "colr", to: colors)
            let isKnown = [0, 1, 6, 9].contains(matrix) || (matrix == 8 && range == 0x80)
            let header = try #require(HEIFHeader(of: MemorySource(file)))
            if isKnown {
                try header.check()
            } else {
                #expect(throws: DecodeError(.unsupportedFormat, "matrix \(matrix)", cause: .colors)) {
                    try header.check()
                }
            }
        }

        @Test("the range in the coded picture counts where the container has none")
        func codedRange() throws {
            let file = try Self.changed(Self.bytes(Self.monochrome), "colr", to: Array("free".utf8))
            let header = try #require(HEIFHeader(of: MemorySource(file)))
            // The sample's `av1C` has no copy of the sequence header.
            #expect(header.coding(hasProfile: false) == nil)
            let sequence = try #require(AV1Sequence([0x0A, 0x08, 0x18, 0x10, 0xFF, 0xED, 0xB0, 0x10, 0xD0, 0x62]))
            #expect((sequence.primaries, sequence.transfer, sequence.isFullRange) == (1, 13, false))
            for count in 0..<10 {
                #expect(
                    AV1Sequence(Array([0x0A, 0x08, 0x18, 0x10, 0xFF, 0xED, 0xB0, 0x10, 0xD0, 0x62].prefix(count)))
                        == nil
                )
            }
        }

        @Test("Display P3 that only the container names becomes sRGB", .needsSharedMedia)
        func displayP3() throws {
            let (output, _) = try transform(MemorySource(SharedMedia.bytes("found/p3.avif")), .avif)
            let pixels = try Pixels(#require(output.last))
            #expect(isNear(pixels.at(50, 50), [255, 0, 0]))
            #expect(isNear(pixels.at(150, 50), [0, 255, 0]))
            #expect(isNear(pixels.at(250, 50), [255, 0, 0]))
        }

        @Test("white of high dynamic range is white", .needsSharedMedia)
        func white() throws {
            let (output, _) = try transform(MemorySource(SharedMedia.bytes("found/pqw.avif")), .avif)
            #expect(try Pixels(#require(output.last)).at(100, 50).allSatisfy { $0 >= 250 })
        }

        @Test("a container that is damaged anywhere doesn't end the process")
        func damaged() throws {
            let file = try Self.bytes(Self.transparent)
            for index in 0..<420 {
                for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var damaged = file
                    damaged[index] = value
                    _ = HEIFHeader(of: MemorySource(damaged))
                }
                _ = HEIFHeader(of: MemorySource(Array(file.prefix(index))))
            }
        }
    }
}
