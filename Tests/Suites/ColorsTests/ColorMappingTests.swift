import Testing

@testable import Images

@Suite("The conversion of colors to sRGB")
struct ColorMappingTests {
    /// Converts one pixel with 8 bits a band.
    private func map(_ color: [Int], from coding: ColorCoding, peak: Float = .infinity) -> [Int] {
        let from = color.map { UInt16($0 * 257) }
        var to = [UInt8](repeating: 0, count: from.count)
        unsafe ColorMapping(from: coding, peak: peak).map(from, &to, count: 1, bands: from.count)
        return to.map(Int.init)
    }

    private func isNear(_ left: [Int], _ right: [Int], within tolerance: Int = 1) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) <= tolerance }
    }

    @Test("sRGB stays as it is, whatever the number of its bands")
    func standard() {
        let coding = ColorCoding(primaries: 1, transfer: 13)
        #expect(coding.isStandard)
        for value in 0...255 {
            #expect(isNear(map([value, 255 - value, 40], from: coding), [value, 255 - value, 40]))
            #expect(isNear(map([value], from: coding), [value]))
            #expect(map([7, value], from: coding)[1] == value)
            #expect(map([7, 8, 9, value], from: coding)[3] == value)
        }
    }

    @Test(
        "Display P3 becomes sRGB, and its white, black and grays stay",
        arguments: [
            ([234, 51, 35], [255, 0, 0]), ([117, 251, 76], [0, 255, 0]), ([0, 0, 245], [0, 0, 255]),
            ([255, 255, 255], [255, 255, 255]), ([0, 0, 0], [0, 0, 0]), ([119, 119, 119], [119, 119, 119]),
            ([255, 0, 0], [255, 0, 0]),
        ]
    )
    func displayP3(color: [Int], expected: [Int]) {
        #expect(isNear(map(color, from: ColorCoding(primaries: 12, transfer: 13)), expected, within: 4))
    }

    @Test("the primaries of BT.2020 are mapped as ITU-R BT.2087 says")
    func bt2020() throws {
        let matrix = try #require(ColorPrimaries.bt2020.toStandard)
        let expected = Matrix(
            Vector(1.6605, -0.5876, -0.0728),
            Vector(-0.1246, 1.1329, -0.0083),
            Vector(-0.0182, -0.1006, 1.1187),
        )
        #expect(matrix.distance(to: expected) < 0.001)
        #expect(abs(ColorPrimaries.bt2020.luminance.y - 0.6780) < 0.001)
    }

    @Test("another white becomes the white of sRGB", arguments: [4, 11])
    func white(primaries: Int) {
        #expect(isNear(map([255, 255, 255], from: ColorCoding(primaries: primaries, transfer: 13)), [255, 255, 255]))
    }

    @Test(
        "numbers that name nothing mean sRGB",
        arguments: [(2, 2), (0, 0), (1, 1), (1, 6), (1, 14), (200, 200), (-1, -1)]
    )
    func unknown(primaries: Int, transfer: Int) {
        #expect(ColorCoding(primaries: primaries, transfer: transfer).isStandard)
    }

    @Test("primaries without an area don't end the process, and change nothing")
    func degenerate() {
        let point = Chromaticity(0.3, 0.3)
        let primaries = ColorPrimaries(red: point, green: point, blue: point, white: point)
        let coding = ColorCoding(primaries: primaries, transfer: .standard)
        #expect(primaries.toStandard == nil)
        #expect(isNear(map([10, 100, 200], from: coding), [10, 100, 200]))
    }

    @Test("values with headroom span the whole range")
    func headroom() {
        let coding = ColorCoding(primaries: 1, transfer: 13, hasHeadroom: true)
        #expect(!coding.isStandard)
        #expect(isNear(map([16], from: coding), [0]))
        #expect(isNear(map([235], from: coding), [255]))
        #expect(isNear(map([126], from: coding), [128]))
        #expect(isNear(map([0], from: coding), [0]) && isNear(map([255], from: coding), [255]))
    }

    @Test(
        "diffuse white is white in a picture without anything brighter, and nearly white in others",
        arguments: [(16, 148), (18, 191)]
    )
    func diffuseWhite(transfer: Int, code: Int) {
        let coding = ColorCoding(primaries: 9, transfer: transfer)
        #expect(map([code, code, code], from: coding, peak: 1).allSatisfy { $0 >= 251 })
        #expect(map([code, code, code], from: coding, peak: 5).allSatisfy { (235...250).contains($0) })
        #expect(map([code, code, code], from: coding).allSatisfy { (235...250).contains($0) })
    }

    @Test("brighter values are brighter, up to the peak, which is white", arguments: [16, 18])
    func order(transfer: Int) {
        let coding = ColorCoding(primaries: 9, transfer: transfer)
        let grays = (0...255).map { map([$0, $0, $0], from: coding, peak: 4.93)[1] }
        #expect(grays == grays.sorted())
        // 1000 candela per square metre.
        #expect(grays[transfer == 16 ? 192 : 255] >= 253)
        #expect(grays[0] == 0)
    }

    @Test("the peak leaves out a few bright pixels, and counts the others")
    func peak() {
        let mapping = ColorMapping(from: ColorCoding(primaries: 9, transfer: 16))
        var counts = ColorMapping.noCounts
        mapping.count([UInt16](repeating: 30_000, count: 3 * 10_000), bands: 3, into: &counts)
        let plain = mapping.peak(of: counts)
        mapping.count([UInt16](repeating: 65_535, count: 3 * 9), bands: 3, into: &counts)
        #expect(mapping.peak(of: counts) == plain)
        mapping.count([0, 0, 65_535, 9] + [UInt16](repeating: 65_535, count: 4 * 20), bands: 4, into: &counts)
        #expect(mapping.peak(of: counts) > 40)
        #expect(mapping.peak(of: ColorMapping.noCounts) == 1)
    }
}
