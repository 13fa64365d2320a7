import Glibc

/// The meaning of a picture's red, green and blue, where no color profile says it.
package struct ColorCoding: Sendable, Equatable {
    package var primaries: ColorPrimaries
    package var transfer: TransferFunction
    /// A Boolean value that indicates whether the code values leave room below black and above white, as television's
    /// do: 16 is black and 235 white.
    package var hasHeadroom: Bool

    package init(primaries: ColorPrimaries, transfer: TransferFunction, hasHeadroom: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.hasHeadroom = hasHeadroom
    }

    /// Creates the coding that ITU-T H.273 (CICP) describes by numbers. A number that names nothing means sRGB.
    package init(primaries: Int, transfer: Int, hasHeadroom: Bool = false) {
        self.init(
            primaries: ColorPrimaries(number: primaries) ?? .standard,
            transfer: TransferFunction(number: transfer) ?? .standard,
            hasHeadroom: hasHeadroom,
        )
    }

    /// A Boolean value that indicates whether the values are those of sRGB to within a step or two of 255.
    package var isStandard: Bool {
        guard transfer == .standard, !hasHeadroom else { return false }
        return primaries.toStandard.map { $0.distance(to: .identity) < 0.005 } ?? true
    }
}

// MARK: - Primaries

/// The colors of a picture's full red, green and blue, and of its white.
package struct ColorPrimaries: Sendable, Equatable {
    package var red: Chromaticity
    package var green: Chromaticity
    package var blue: Chromaticity
    package var white: Chromaticity

    package init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// The primaries of sRGB and of ITU-R BT.709.
    package static let standard = daylit(Chromaticity(0.64, 0.33), Chromaticity(0.30, 0.60), Chromaticity(0.15, 0.06))
    package static let bt2020 = daylit(
        Chromaticity(0.708, 0.292),
        Chromaticity(0.170, 0.797),
        Chromaticity(0.131, 0.046)
    )

    /// The primaries of Adobe RGB (1998).
    package static let adobe = daylit(Chromaticity(0.64, 0.33), Chromaticity(0.21, 0.71), Chromaticity(0.15, 0.06))

    /// Creates the primaries of a number in ITU-T H.273, table 2. Returns `nil` for one that names none.
    package init?(number: Int) {
        switch number {
        case 1: self = .standard
        case 4:
            self.init(
                red: Chromaticity(0.67, 0.33),
                green: Chromaticity(0.21, 0.71),
                blue: Chromaticity(0.14, 0.08),
                white: Chromaticity(0.310, 0.316),
            )
        case 5: self = Self.daylit(Chromaticity(0.64, 0.33), Chromaticity(0.29, 0.60), Chromaticity(0.15, 0.06))
        case 6, 7:
            self = Self.daylit(Chromaticity(0.630, 0.340), Chromaticity(0.310, 0.595), Chromaticity(0.155, 0.070))
        case 9: self = .bt2020
        case 11:
            self = Self.daylit(Chromaticity(0.680, 0.320), Chromaticity(0.265, 0.690), Chromaticity(0.150, 0.060))
            white = Chromaticity(0.314, 0.351)
        case 12:
            self = Self.daylit(Chromaticity(0.680, 0.320), Chromaticity(0.265, 0.690), Chromaticity(0.150, 0.060))
        case 22:
            self = Self.daylit(Chromaticity(0.630, 0.340), Chromaticity(0.295, 0.605), Chromaticity(0.155, 0.077))
        default: return nil
        }
    }

    private static func daylit(_ red: Chromaticity, _ green: Chromaticity, _ blue: Chromaticity) -> ColorPrimaries {
        ColorPrimaries(red: red, green: green, blue: blue, white: .daylight)
    }

    /// The map from red, green and blue to CIE XYZ: SMPTE RP 177.
    var toTristimulus: Matrix {
        let columns = Matrix(red.tristimulus, green.tristimulus, blue.tristimulus).transposed
        return columns * Matrix(diagonal: columns.inverse * white.tristimulus)
    }

    /// The map to sRGB's red, green and blue. White stays white, by the Bradford method of ICC.1:2022, annex E. `nil` if
    /// these primaries span no colors.
    var toStandard: Matrix? {
        let bradford = Matrix(
            Vector(0.8951, 0.2664, -0.1614),
            Vector(-0.7502, 1.7135, 0.0367),
            Vector(0.0389, -0.0685, 1.0296),
        )
        let gain = (bradford * Self.standard.white.tristimulus) / (bradford * white.tristimulus)
        let adaptation = bradford.inverse * Matrix(diagonal: gain) * bradford
        let matrix = Self.standard.toTristimulus.inverse * adaptation * toTristimulus
        // A difference from itself is 0, and not a number where a number isn't finite.
        return matrix.distance(to: matrix) == 0 ? matrix : nil
    }

    /// The share of each primary in the brightness of white.
    var luminance: Vector { toTristimulus.rows.1 }
}

/// A color without its brightness: the x and y of CIE 1931.
package struct Chromaticity: Sendable, Equatable {
    package var x: Float
    package var y: Float

    package init(_ x: Float, _ y: Float) {
        self.x = x
        self.y = y
    }

    /// The white of daylight at 6,500 K, which is that of sRGB.
    static let daylight = Chromaticity(0.3127, 0.3290)

    /// The CIE XYZ of this color with a brightness of 1.
    var tristimulus: Vector { Vector(x / y, 1, (1 - x - y) / y) }
}

// MARK: - Transfer functions

/// The relation of a picture's code values, from 0 to 1, to light.
package enum TransferFunction: Sendable, Equatable {
    /// The function of sRGB (IEC 61966-2-1). The functions of television, which describe cameras, count as this one, because
    /// screens show their pictures with it.
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
