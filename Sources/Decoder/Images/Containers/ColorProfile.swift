import Base
import CVips
import Glibc

/// An ICC profile: ICC.1:2022.
struct ColorProfile {
    private static let headerByteCount = 128
    private static let tagLimit = 100

    private let bytes: [UInt8]
    /// The ranges of the elements, by signature.
    private let tags: [String: Range<Int>]
    private let colorSpace: String

    /// Returns `nil` if `bytes` are not a profile.
    init?(_ bytes: [UInt8]) {
        var reader = ContainerReader(bytes)
        guard let header = reader.take(Self.headerByteCount), header[36..<40].elementsEqual("acsp".utf8),
            let count = reader.bigEndian(4), count <= Self.tagLimit
        else { return nil }
        var tags: [String: Range<Int>] = [:]
        for _ in 0..<count {
            guard let signature = reader.take(4), let offset = reader.bigEndian(4), let length = reader.bigEndian(4)
            else { return nil }
            guard offset + length <= bytes.count else { continue }
            tags[String(decoding: signature, as: UTF8.self)] = offset..<offset + length
        }
        self.bytes = bytes
        self.tags = tags
        colorSpace = String(decoding: header[16..<20], as: UTF8.self)
    }

    /// The rendering intent to convert with: the relative one, which keeps the colors that both devices have, or else
    /// the one that the profile was made for. libvips ignores a profile that does not have the intent.
    var intent: VipsIntent {
        let hasMatrix = tags["rXYZ"] != nil && tags["rTRC"] != nil
        guard !hasMatrix, tags["kTRC"] == nil, tags["A2B1"] == nil, tags["D2B1"] == nil else {
            return VIPS_INTENT_RELATIVE
        }
        if tags["A2B0"] != nil || tags["D2B0"] != nil { return VIPS_INTENT_PERCEPTUAL }
        return tags["A2B2"] != nil || tags["D2B2"] != nil ? VIPS_INTENT_SATURATION : VIPS_INTENT_RELATIVE
    }

    /// The coding of a picture of high dynamic range, as section 9.2.17 gives it by the numbers of ITU-T H.273. A profile
    /// itself cannot describe such a picture.
    var brightCoding: ColorCoding? {
        guard colorSpace != "CMYK", var reader = reader(of: "cicp", type: "cicp"), let primaries = reader.byte(),
            let transfer = reader.byte(),
            let function = TransferFunction(number: Int(transfer)), function.isHighDynamicRange
        else { return nil }
        return ColorCoding(primaries: Int(primaries), transfer: Int(transfer))
    }

    /// Returns `true` if the profile describes values of this kind. A file may have any profile: libvips would take the
    /// values beyond those of the profile for alpha.
    func describes(_ interpretation: VipsInterpretation, bands: Int) -> Bool {
        switch interpretation {
        case VIPS_INTERPRETATION_CMYK: colorSpace == "CMYK"
        case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ, VIPS_INTERPRETATION_LABS, VIPS_INTERPRETATION_XYZ: false
        default: bands < 3 ? isGray : colorSpace == "RGB "
        }
    }

    var isGray: Bool { colorSpace == "GRAY" }

    /// A Boolean value that indicates whether the colors are those of sRGB, or its grays, to within a step or two of
    /// 255.
    var isStandard: Bool {
        switch colorSpace {
        case "GRAY": return isStandardCurve("kTRC")
        case "RGB " where tags["A2B0"] == nil && tags["A2B1"] == nil:
            guard isStandardMatrix, isStandardCurve("rTRC") else { return false }
            // Most profiles have one curve for all.
            return ["gTRC", "bTRC"].allSatisfy { tags[$0] == tags["rTRC"] || isStandardCurve($0) }
        // The description of every sRGB profile contains its name, in ASCII or UTF-16. A false name only spoils the
        // colors of that picture.
        default: return bytes.filter { $0 != 0 }.contains("sRGB".utf8)
        }
    }

    /// Compares the primaries with those of sRGB under the profiles' white, D50.
    private var isStandardMatrix: Bool {
        let expected = [
            "rXYZ": [0.4361, 0.2225, 0.0139], "gXYZ": [0.3851, 0.7169, 0.0971], "bXYZ": [0.1431, 0.0606, 0.7141],
        ]
        return expected.allSatisfy { tag, color in
            guard var reader = reader(of: tag, type: "XYZ ") else { return false }
            return color.allSatisfy { value in reader.fixedPoint().map { abs($0 - value) < 0.004 } ?? false }
        }
    }

    private func isStandardCurve(_ tag: String) -> Bool {
        guard let curve = ToneCurve(self, tag) else { return false }
        return stride(from: 0.05, through: 1, by: 0.05).allSatisfy { code in
            abs(TransferFunction.standardCode(Float(curve.light(code))) - Float(code)) < 0.006
        }
    }

    /// Returns a reader of an element's content; `nil` if the profile doesn't have it with this type.
    func reader(of tag: String, type: String) -> ContainerReader? {
        guard let range = tags[tag] else { return nil }
        var reader = ContainerReader(bytes[range])
        guard reader.take(4)?.elementsEqual(type.utf8) == true, reader.take(4) != nil else { return nil }
        return reader
    }
}

// MARK: - Curves

/// The relation of code values to light in a profile: sections 10.6 and 10.18.
enum ToneCurve {
    /// Numbers of 16 bits, most significant byte first.
    case table(ArraySlice<UInt8>)
    case gamma(Double)
    /// The parameters g, a, b, c, d, e, and f.
    case parametric([Double])

    init?(_ profile: ColorProfile, _ tag: String) {
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
