import Glibc

/// The relation of a picture's code values, from 0 to 1, to light.
package enum TransferFunction: Sendable, Equatable {
    /// That of sRGB: IEC 61966-2-1. Those of television, which describe cameras, count as this one: screens show their
    /// pictures so.
    case standard
    /// A power of the code value.
    case gamma(Float)
    /// SMPTE ST 2084, whose light is absolute.
    case perceptualQuantizer
    /// ARIB STD-B67, whose light is that of the scene.
    case hybridLogGamma

    /// Creates the function of a number in ITU-T H.273, table 3. Returns `nil` for one that names none.
    package init?(number: Int) {
        switch number {
        case 1, 6, 7, 11, 12, 13, 14, 15: self = .standard
        case 4: self = .gamma(2.2)
        case 5: self = .gamma(2.8)
        case 8: self = .gamma(1)
        case 16: self = .perceptualQuantizer
        case 17: self = .gamma(2.6)
        case 18: self = .hybridLogGamma
        default: return nil
        }
    }

    package var isHighDynamicRange: Bool { self == .perceptualQuantizer || self == .hybridLogGamma }

    /// The brightness of diffuse white in candela per square metre, for both systems of high dynamic range: ITU-R
    /// BT.2408, table 1.
    static let diffuseWhite: Float = 203
    /// The peak brightness for which hybrid log-gamma has a system gamma of 1.2: ITU-R BT.2100, table 5.
    private static let hybridPeak: Float = 1000

    /// Returns the light of a code value, with diffuse white as 1; for hybrid log-gamma, the light of the scene, up to 1.
    func light(_ code: Float) -> Float {
        switch self {
        case .standard:
            return code <= 0.04045 ? code / 12.92 : powf((code + 0.055) / 1.055, 2.4)
        case .gamma(let exponent):
            return powf(code, exponent)
        case .perceptualQuantizer:
            let power = powf(code, 1 / 78.84375)
            let share = powf(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
            return 10_000 * share / Self.diffuseWhite
        case .hybridLogGamma:
            return code <= 0.5 ? code * code / 3 : (expf((code - 0.55991073) / 0.17883277) + 0.28466892) / 12
        }
    }

    /// Returns the factor from the light of the scene to that of the screen, where the scene's brightness is
    /// `luminance`.
    func gain(_ luminance: Float) -> Float {
        self == .hybridLogGamma ? powf(luminance, 0.2) * Self.hybridPeak / Self.diffuseWhite : 1
    }

    /// Returns the code value of sRGB for light.
    package static func standardCode(_ light: Float) -> Float {
        light <= 0.0031308 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
    }
}
