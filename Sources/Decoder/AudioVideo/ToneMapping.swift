import CLibav
import DecoderWire
import Glibc
import Media
import Values

/// Brings pictures of high dynamic range, as phones film them, into what every screen shows.
///
/// Diffuse white keeps nearly the brightness that it has beside other pictures; only what shines brighter is
/// compressed. Without this the pictures look grey and washed out.
struct ToneMapping {
    /// The brightness of diffuse white in candela per square metre, for both systems: ITU-R BT.2408, table 1.
    private static let diffuseWhite: Float = 203
    /// Up to here, with diffuse white as 1, brightness stays what it is.
    private static let knee: Float = 0.6
    /// The steps in which brightness is looked up, from 0 to 1.
    private static let steps = 4096
    /// The brightest that hybrid log-gamma is made for, where its system gamma is 1.2: ITU-R BT.2100, table 5.
    private static let hybridPeak: Float = 1000

    private let isHybrid: Bool
    /// Light by code value, with diffuse white as 1; for hybrid log-gamma light of the scene, up to 1.
    private let light: [Float]
    /// For hybrid log-gamma, by the light of the scene, what makes light of the screen of it.
    private let gain: [Float]
    /// Code values of sRGB by light.
    private let code: [UInt8]

    /// `nil` for a picture that is not of high dynamic range.
    init?(_ transfer: AVColorTransferCharacteristic) {
        guard transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67 else { return nil }
        let isHybrid = transfer == AVCOL_TRC_ARIB_STD_B67
        let scale = (0...Self.steps).map { Float($0) / Float(Self.steps) }
        self.isHybrid = isHybrid
        light = scale.map { isHybrid ? Self.hybridLight($0) : Self.quantizerLight($0) / Self.diffuseWhite }
        gain = scale.map { powf($0, 0.2) * Self.hybridPeak / Self.diffuseWhite }
        code = scale.map { UInt8(clamping: (Self.standardCode($0) * 255).rounded()) }
    }

    /// Of 16-bit RGB in the colours of BT.2020 makes 8-bit sRGB.
    func mapped(_ frame: borrowing Frame) throws(DecodeFailure) -> Frame {
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

    /// Approaches 1 and never reaches it.
    private static func compressed(_ light: Float) -> Float {
        let excess = (light - knee) / (1 - knee)
        return knee + (1 - knee) * excess / (1 + excess)
    }

    /// SMPTE ST 2084, in candela per square metre.
    private static func quantizerLight(_ code: Float) -> Float {
        let power = powf(code, 1 / 78.84375)
        return 10_000 * powf(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }

    /// ARIB STD-B67, from 0 to 1.
    private static func hybridLight(_ code: Float) -> Float {
        code <= 0.5 ? code * code / 3 : (expf((code - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// IEC 61966-2-1.
    private static func standardCode(_ light: Float) -> Float {
        light <= 0.0031308 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
    }
}
