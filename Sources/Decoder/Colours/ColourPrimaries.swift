/// The colours of a picture's full red, green and blue, and of its white.
package struct ColourPrimaries: Sendable, Equatable {
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

    private static func daylit(_ red: Chromaticity, _ green: Chromaticity, _ blue: Chromaticity) -> ColourPrimaries {
        ColourPrimaries(red: red, green: green, blue: blue, white: .daylight)
    }

    /// The map from red, green and blue to CIE XYZ: SMPTE RP 177.
    var toTristimulus: Matrix {
        let columns = Matrix(red.tristimulus, green.tristimulus, blue.tristimulus).transposed
        return columns * Matrix(diagonal: columns.inverse * white.tristimulus)
    }

    /// The map to sRGB's red, green and blue. White stays white, by the Bradford method of ICC.1:2022, annex E. `nil` if
    /// these primaries span no colours.
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
