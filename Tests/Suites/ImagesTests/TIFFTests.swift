import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("What the values of a TIFF mean")
    struct TIFFTests {
        @Test("RGB keeps its colors, in both orders of bytes", arguments: [false, true], [3, 4])
        func colors(isBigEndian: Bool, type: Int) throws {
            let file = TIFFBuilder(isBigEndian: isBigEndian, type: type).bytes([200, 60, 40])
            let last = try #require(try transform(MemorySource(file), .tiff).output.last)
            #expect(isNear(try Pixels(last).at(8, 8), [200, 60, 40]))
        }

        @Test("values of more bits than the loader reads are refused, not called damaged", arguments: [false, true])
        func wide(isBigEndian: Bool) throws {
            let file = TIFFBuilder(isBigEndian: isBigEndian, bits: 64).bytes([200, 60, 40])
            #expect(try transform(MemorySource(file), .tiff).failure?.reason == .unsupportedFormat)
        }

        /// The loader takes them all for RGB or CMYK. Pillow writes YCbCr without JPEG.
        @Test("values that the loader would show in other colors are refused", arguments: [false, true], [3, 4])
        func unknown(isBigEndian: Bool, type: Int) throws {
            // YCbCr, L*a*b* with a profile's signs, ITU's, a camera's raw values, inks other than CMYK.
            let cases: [(Int, [Int: Int])] = [(6, [:]), (9, [:]), (10, [:]), (34892, [:]), (5, [332: 2])]
            for (interpretation, more) in cases {
                let bands = interpretation == 5 ? 4 : 3
                let builder = TIFFBuilder(
                    isBigEndian: isBigEndian,
                    type: type,
                    bands: bands,
                    interpretation: interpretation,
                    more: more
                )
                let file = builder.bytes(Array(repeating: 100, count: bands))
                let result = try transform(MemorySource(file), .tiff)
                #expect(result.failure?.reason == .unsupportedFormat, "\(interpretation)")
                #expect(result.output.last == nil)
            }
        }
    }
}
