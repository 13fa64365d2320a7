import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Photos of cameras that are set to Adobe RGB")
    struct CameraColorsTests {
        /// EXIF data that gives the index of interoperability, as cameras write it.
        private static func exif(_ index: String) -> [UInt8] {
            func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
            func short(_ value: Int) -> [UInt8] { Array(long(value).suffix(2)) }
            /// An entry: tag, type, count, and four bytes.
            func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
                short(tag) + short(type) + long(count) + value
            }
            let first = short(1) + entry(0x8769, 4, 1, long(26)) + long(0)
            let second =
                short(2) + entry(0xA001, 3, 1, short(0xFFFF) + short(0)) + entry(0xA005, 4, 1, long(56)) + long(0)
            let third =
                short(2) + entry(1, 2, 4, Array(index.utf8) + [0]) + entry(2, 7, 4, Array("0100".utf8)) + long(0)
            return Array("Exif\0\0MM\0*".utf8) + long(8) + first + second + third
        }

        /// A JPEG of one color, made without the code under test but for its encoder.
        private static func jpeg(_ color: [UInt8]) throws -> [UInt8] {
            let source = PNGBuilder.picture(160, 120) { _, _ in color }
            return try #require(try transform(MemorySource(source), .png, rungs: [.downscaled]).output.last).bytes
        }

        // The values of sRGB are by LittleCMS with Adobe's own profile.
        @Test(
            "have their colors, although they carry no profile",
            arguments: [("R03", [77, 201, 92]), ("R98", [128, 200, 100])],
        )
        func index(_ index: String, shown: [Int]) throws {
            let source = JPEGBuilder.with(0xE1, Self.exif(index), in: try Self.jpeg([128, 200, 100]))
            let emitted = try #require(try transform(MemorySource(source), .jpeg).output.last)
            #expect(emitted.report.rung == (index == "R03" ? .downscaled : .remuxed))
            let pixel = try Pixels(emitted).at(80, 60)
            #expect(isNear(pixel, shown, within: 4), "\(pixel)")
        }
    }
}
