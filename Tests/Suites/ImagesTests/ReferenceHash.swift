/// The hash that the reference implementation of ThumbHash makes of a picture.
struct ReferenceHash: Sendable {
    let width: Int
    let height: Int
    let hasAlpha: Bool
    let hash: [UInt8]

    /// The pixels: red, green, blue and alpha, each a simple function of the position.
    var rgba: [UInt8] {
        var values: [Int] = []
        for y in 0..<height {
            for x in 0..<width {
                values += [x * 17 + y * 5, x * x + y * 3, y * 29]
                values.append(hasAlpha ? x * x * 7 + y * y * 3 : 255)
            }
        }
        return values.map { UInt8($0 % 256) }
    }

    /// Made with the package `thumbhash` of PyPI, version 0.1.2, a port of the reference.
    static let all: [Self] = [
        .init(
            width: 32,
            height: 21,
            hasAlpha: false,
            hash: [92, 24, 6, 29, 138, 67, 20, 169, 100, 103, 184, 116, 119, 89, 136, 112, 34, 90, 255, 155, 135]
        ),
        .init(
            width: 21,
            height: 32,
            hasAlpha: false,
            hash: [29, 40, 6, 21, 12, 34, 179, 96, 162, 88, 134, 106, 119, 116, 104, 8, 0, 85, 254, 139, 137]
        ),
        .init(
            width: 7,
            height: 3,
            hasAlpha: true,
            hash: [
                203, 120, 130, 10, 128, 53, 241, 118, 176, 74, 165, 211, 79, 7, 158, 103, 128, 120, 105, 105, 135, 135,
                136,
            ]
        ),
        .init(
            width: 20,
            height: 20,
            hasAlpha: true,
            hash: [
                219, 39, 134, 29, 6, 7, 5, 153, 116, 199, 134, 89, 40, 4, 90, 253, 150, 135, 4, 82, 52, 36, 35, 163,
                145,
            ]
        ),
        .init(
            width: 1,
            height: 1,
            hasAlpha: false,
            hash: [0, 8, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        ),
        .init(
            width: 100,
            height: 48,
            hasAlpha: false,
            hash: [31, 8, 2, 19, 130, 118, 102, 102, 80, 86, 22, 120, 118, 111, 219, 252, 187]
        ),
        .init(
            width: 5,
            height: 40,
            hasAlpha: true,
            hash: [
                91, 135, 134, 25, 2, 23, 118, 128, 135, 137, 136, 133, 128, 24, 6, 136, 148, 120, 83, 167, 97, 90, 4,
            ]
        ),
    ]
}
