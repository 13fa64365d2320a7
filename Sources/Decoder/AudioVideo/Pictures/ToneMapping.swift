import CLibav
import DecoderWire
import Glibc
import Media
import Values

/// The mapping of high dynamic range pictures, as phones film them, to the range that every screen shows.
///
/// Diffuse white keeps nearly the brightness that it has beside other pictures. Only brighter values are compressed.
/// Without the mapping, the pictures look grey and washed out.
struct ToneMapping {
    /// The brightness of diffuse white in candela per square metre, for both systems: ITU-R BT.2408, table 1.
    private static let diffuseWhite: Float = 203
    /// The brightness up to which values do not change, with diffuse white as 1.
    private static let knee: Float = 0.6
    /// The number of steps of the lookup table for brightness, from 0 to 1.
    private static let steps = 4096
    /// The peak brightness for which hybrid log-gamma has a system gamma of 1.2: ITU-R BT.2100, table 5.
    private static let hybridPeak: Float = 1000

    private let isHybrid: Bool
    /// The light for each code value, with diffuse white as 1; for hybrid log-gamma, the light of the scene, up to 1.
    private let light: [Float]
    /// The factor from the light of the scene to that of the screen, for hybrid log-gamma.
    private let gain: [Float]
    /// The code values of sRGB for light.
    private let code: [UInt8]

    /// Returns `nil` unless the transfer function is one of high dynamic range.
    init?(_ transfer: AVColorTransferCharacteristic) {
        guard transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67 else { return nil }
        let isHybrid = transfer == AVCOL_TRC_ARIB_STD_B67
        let scale = (0...Self.steps).map { Float($0) / Float(Self.steps) }
        self.isHybrid = isHybrid
        light = scale.map { isHybrid ? Self.hybridLight($0) : Self.quantizerLight($0) / Self.diffuseWhite }
        gain = scale.map { powf($0, 0.2) * Self.hybridPeak / Self.diffuseWhite }
        code = scale.map { UInt8(clamping: (Self.standardCode($0) * 255).rounded()) }
    }

    /// Returns 8-bit sRGB for 16-bit RGB in the colours of BT.2020.
    func mapped(_ frame: borrowing Frame) throws(DecodeError) -> Frame {
        let size = frame.size
        let mapped = try Frame.picture(size, AV_PIX_FMT_RGB24)
        guard let source = unsafe frame.pointer.pointee.data.0, let target = unsafe mapped.pointer.pointee.data.0 else {
            return mapped
        }
        for row in 0..<size.height {
            let from = unsafe UnsafeRawPointer(source + row * Int(frame.pointer.pointee.linesize.0))
            let to = unsafe target + row * Int(mapped.pointer.pointee.linesize.0)
            unsafe map(from.assumingMemoryBound(to: UInt16.self), to, count: size.width)
        }
        return mapped
    }

    private func map(_ from: UnsafePointer<UInt16>, _ to: UnsafeMutablePointer<UInt8>, count: Int) {
        for pixel in 0..<count {
            var red = unsafe light[Int(from[3 * pixel]) >> 4]
            var green = unsafe light[Int(from[3 * pixel + 1]) >> 4]
            var blue = unsafe light[Int(from[3 * pixel + 2]) >> 4]
            if isHybrid {
                let factor = gain[index(0.2627 * red + 0.6780 * green + 0.0593 * blue)]
                (red, green, blue) = (red * factor, green * factor, blue * factor)
            }
            // ITU-R BT.2087: from the colours of BT.2020 to those of BT.709.
            let brightest = max(red, green, blue)
            let factor = brightest > Self.knee ? Self.compressed(brightest) / brightest : 1
            let r = factor * (1.6605 * red - 0.5876 * green - 0.0728 * blue)
            let g = factor * (-0.1246 * red + 1.1329 * green - 0.0083 * blue)
            let b = factor * (-0.0182 * red - 0.1006 * green + 1.1187 * blue)
            unsafe to[3 * pixel] = code[index(r)]
            unsafe to[3 * pixel + 1] = code[index(g)]
            unsafe to[3 * pixel + 2] = code[index(b)]
        }
    }

    private func index(_ light: Float) -> Int { Int(clamping: min(max(light, 0), 1) * Float(Self.steps)) }

    /// Compresses `light` so that it approaches 1 and never reaches it.
    private static func compressed(_ light: Float) -> Float {
        let excess = (light - knee) / (1 - knee)
        return knee + (1 - knee) * excess / (1 + excess)
    }

    /// Returns the light of a code value by SMPTE ST 2084, in candela per square metre.
    private static func quantizerLight(_ code: Float) -> Float {
        let power = powf(code, 1 / 78.84375)
        return 10_000 * powf(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }

    /// Returns the light of a code value by ARIB STD-B67, from 0 to 1.
    private static func hybridLight(_ code: Float) -> Float {
        code <= 0.5 ? code * code / 3 : (expf((code - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// Returns the code value of light by IEC 61966-2-1.
    private static func standardCode(_ light: Float) -> Float {
        light <= 0.0031308 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
    }
}
