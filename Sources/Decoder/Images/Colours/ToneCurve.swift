import Glibc
import Values

/// The relation of code values to light in a profile: sections 10.6 and 10.18.
enum ToneCurve {
    /// Numbers of 16 bits, most significant byte first.
    case table(ArraySlice<UInt8>)
    case gamma(Double)
    /// The parameters g, a, b, c, d, e, and f.
    case parametric([Double])

    init?(_ profile: ColourProfile, _ tag: String) {
        if var reader = profile.reader(of: tag, type: "curv") {
            guard let count = reader.bigEndian(4), count <= 1 << 16 else { return nil }
            switch count {
            case 0: self = .gamma(1)
            case 1:
                guard let exponent = reader.bigEndian(2) else { return nil }
                self = .gamma(Double(exponent) / 256)
            default:
                guard let values = reader.take(2 * count) else { return nil }
                self = .table(values)
            }
        } else if var reader = profile.reader(of: tag, type: "para") {
            let counts = [1, 3, 4, 5, 7]
            guard let kind = reader.bigEndian(2), kind < counts.count, reader.take(2) != nil else { return nil }
            let given = (0..<counts[kind]).compactMap { _ in reader.fixedPoint() }
            guard given.count == counts[kind] else { return nil }
            switch kind {
            case 0: self = .gamma(given[0])
            // Below -b/a, light is 0, or c.
            case 1: self = .parametric(given + [0, -given[2] / given[1], 0, 0])
            case 2: self = .parametric(given[0..<3] + [0, -given[2] / given[1], given[3], given[3]])
            case 3: self = .parametric(given + [0, 0])
            default: self = .parametric(given)
            }
        } else {
            return nil
        }
    }

    func light(_ code: Double) -> Double {
        switch self {
        case .table(let values):
            let index = Int(clamping: (code * Double(values.count / 2 - 1)).rounded())
            let place = values.startIndex + 2 * index
            return Double(Int(values[place]) << 8 | Int(values[place + 1])) / 65535
        case .gamma(let exponent):
            return pow(code, exponent)
        case .parametric(let p):
            return code >= p[4] ? pow(max(0, p[1] * code + p[2]), p[0]) + p[5] : p[3] * code + p[6]
        }
    }
}

extension ContainerReader {
    /// Returns a number of 16 bits before the binary point, with a sign, and 16 after it.
    mutating func fixedPoint() -> Double? {
        bigEndian(4).map { Double(Int32(truncatingIfNeeded: $0)) / 65536 }
    }
}
