import CVips
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Color profiles")
    struct ColorProfileTests {
        private static func bigEndian(_ value: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        /// Returns a profile with these elements.
        private static func profile(_ space: String, _ elements: [(tag: String, data: [UInt8])]) -> [UInt8] {
            var header = [UInt8](repeating: 0, count: 128)
            header.replaceSubrange(8..<12, with: [2, 0x40, 0, 0])
            header.replaceSubrange(12..<24, with: Array("mntr\(space)XYZ ".utf8))
            header.replaceSubrange(36..<40, with: Array("acsp".utf8))
            // The white of all profiles, D50.
            let white: [UInt8] = bigEndian(0xF6D6) + bigEndian(0x10000) + bigEndian(0xD32D)
            header.replaceSubrange(68..<80, with: white)
            var table = bigEndian(elements.count)
            var data: [UInt8] = []
            for element in elements {
                let offset = 132 + 12 * elements.count + data.count
                table += Array(element.tag.utf8) + bigEndian(offset) + bigEndian(element.data.count)
                data += element.data
            }
            let file = header + table + data
            return bigEndian(file.count) + file.dropFirst(4)
        }

        private static func point(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
            Array("XYZ \0\0\0\0".utf8) + [x, y, z].flatMap { bigEndian(Int($0 * 65536)) }
        }

        /// A text in which only the name says that the profile is sRGB.
        private static let name: (tag: String, data: [UInt8]) = {
            let text = Array("desc\0\0\0\0\0\0\0\u{5}sRGB\0".utf8)
            return ("desc", text + [UInt8](repeating: 0, count: 78))
        }()

        private static func matrix(_ curve: [UInt8]) -> [(tag: String, data: [UInt8])] {
            var elements: [(tag: String, data: [UInt8])] = [name]
            elements.append(("wtpt", point(0.9642, 1, 0.8249)))
            elements.append(("rXYZ", point(0.4361, 0.2225, 0.0139)))
            elements.append(("gXYZ", point(0.3851, 0.7169, 0.0971)))
            elements.append(("bXYZ", point(0.1431, 0.0606, 0.7141)))
            for tag in ["rTRC", "gTRC", "bTRC"] { elements.append((tag, curve)) }
            return elements
        }

        private static let linear = Array("curv\0\0\0\0".utf8) + bigEndian(0)
        private static let gamma = Array("curv\0\0\0\0".utf8) + bigEndian(1) + [1, 0xCD]
        /// The curve of sRGB: ICC.1:2022, function type 3.
        private static let standard: [UInt8] = {
            let parameters: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
            var curve = Array("para".utf8) + [0, 0, 0, 0, 0, 3, 0, 0]
            for parameter in parameters { curve += bigEndian(Int(parameter * 65536)) }
            return curve
        }()

        @Test("a profile is sRGB by its numbers, not by its name")
        func standard() throws {
            #expect(try #require(ColorProfile(Self.profile("RGB ", Self.matrix(Self.standard)))).isStandard)
            for curve in [Self.linear, Self.gamma] {
                #expect(try !#require(ColorProfile(Self.profile("RGB ", Self.matrix(curve)))).isStandard)
            }
            var wide = Self.matrix(Self.standard)
            wide[2].data = Self.point(0.5151, 0.2412, -0.0011)
            #expect(try !#require(ColorProfile(Self.profile("RGB ", wide))).isStandard)
            #expect(try #require(ColorProfile(Self.profile("GRAY", [("kTRC", Self.standard)]))).isStandard)
            #expect(try !#require(ColorProfile(Self.profile("GRAY", [("kTRC", Self.linear)]))).isStandard)
        }

        @Test("the colors of a linear profile that calls itself sRGB are converted")
        func linear() throws {
            let picture = PNGBuilder.picture(64, 48) { _, _ in [128, 128, 128] }
            let jpeg = try #require(try transform(MemorySource(picture), .png, rungs: [.downscaled]).output.last).bytes
            for (curve, value, rung) in [(Self.linear, 188, Rung.downscaled), (Self.standard, 128, .remuxed)] {
                var profile = Array("ICC_PROFILE\0\u{1}\u{1}".utf8)
                profile += Self.profile("RGB ", Self.matrix(curve))
                let last = try #require(
                    try transform(MemorySource(JPEGBuilder.with(0xE2, profile, in: jpeg)), .jpeg).output.last
                )
                #expect(last.report.rung == rung)
                #expect(isNear(Array(try Pixels(last).at(20, 20).prefix(1)), [value], within: 3))
            }
        }

        /// Any writer can put any profile into any file. Pillow keeps that of a gray picture in an RGB WebP or AVIF.
        @Test(
            "a profile of other values is ignored, unless it is one of grays and so is the picture",
            arguments: [
                ("GRAY", [200, 60, 40], [200, 60, 40]), ("GRAY", [128, 128, 128], [188]),
                ("Lab ", [200, 60, 40], [200, 60, 40]), ("CMYK", [200, 60, 40], [200, 60, 40]),
                ("RGB ", [128, 128, 128], [188]),
            ] as [(String, [UInt8], [Int])]
        )
        func otherValues(space: String, color: [UInt8], expected: [Int]) throws {
            let picture = PNGBuilder.picture(64, 48) { _, _ in color }
            let jpeg = try #require(try transform(MemorySource(picture), .png, rungs: [.downscaled]).output.last).bytes
            let elements = [("kTRC", Self.linear)] + Self.matrix(Self.linear)
            let data = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + Self.profile(space, elements)
            let source = MemorySource(JPEGBuilder.with(0xE2, data, in: jpeg))
            let last = try #require(try transform(source, .jpeg).output.last)
            let seen = Array(try Pixels(last).at(20, 20).prefix(expected.count))
            #expect(isNear(seen, expected, within: 6), "\(space): \(seen)")
        }

        @Test("the intent is one that the profile has")
        func intent() throws {
            func intent(_ tags: [String]) throws -> VipsIntent {
                try #require(ColorProfile(Self.profile("RGB ", tags.map { ($0, [1, 2, 3, 4]) }))).intent
            }
            #expect(try intent(["A2B0"]) == VIPS_INTENT_PERCEPTUAL)
            #expect(try intent(["A2B0", "A2B1"]) == VIPS_INTENT_RELATIVE)
            #expect(try intent(["A2B2"]) == VIPS_INTENT_SATURATION)
            #expect(try intent(["A2B0", "rXYZ", "rTRC"]) == VIPS_INTENT_RELATIVE)
            #expect(try intent([]) == VIPS_INTENT_RELATIVE)
        }

        @Test("numbers of high dynamic range in a profile count")
        func numbers() throws {
            func profile(_ numbers: [UInt8]) throws -> ColorProfile {
                try #require(ColorProfile(Self.profile("RGB ", [("cicp", Array("cicp\0\0\0\0".utf8) + numbers)])))
            }
            #expect(try profile([9, 16, 0, 1]).brightCoding?.transfer == .perceptualQuantizer)
            #expect(try profile([9, 18, 0, 1]).brightCoding?.transfer == .hybridLogGamma)
            #expect(try profile([12, 13, 0, 1]).brightCoding == nil)
            #expect(try profile([9]).brightCoding == nil)
        }

        @Test("a profile that is damaged anywhere doesn't end the process")
        func damaged() {
            let profile = Self.profile("RGB ", Self.matrix(Self.standard))
            for index in profile.indices {
                for value in [0, 0x7F, 0xFF] as [UInt8] {
                    var damaged = profile
                    damaged[index] = value
                    _ = ColorProfile(damaged).map { ($0.isStandard, $0.intent, $0.brightCoding) }
                }
                _ = ColorProfile(Array(profile.prefix(index)))?.isStandard
            }
        }
    }
}
