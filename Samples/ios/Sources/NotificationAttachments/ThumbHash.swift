import Foundation

/// A ThumbHash, decoded into at most 32 × 32 pixels: a cosine transform of some 25 bytes, by Evan Wallace
/// (https://evanw.github.io/thumbhash/; the format is that of evanw/thumbhash, rust/src/lib.rs).
struct ThumbHash {
    let width: Int
    let height: Int
    /// Red, green, blue and alpha of each pixel, row by row.
    private(set) var pixels: [UInt8] = []

    /// One of luminance, yellow-blue, red-green and alpha: its mean, and the waves on it.
    private struct Channel {
        var mean: Float
        var waves: [(x: Int, y: Int, amplitude: Float)] = []

        func value(_ x: [Float], _ y: [Float]) -> Float {
            waves.reduce(mean) { $0 + $1.amplitude * x[$1.x] * y[$1.y] * 2 }
        }
    }

    /// Decodes a hash. Returns `nil` if it is too short.
    init?(_ data: Data) {
        let hash = data.map(Int.init)
        guard hash.count >= 5 else { return nil }
        let header = hash[0] | hash[1] << 8 | hash[2] << 16, sizes = hash[3] | hash[4] << 8
        let hasAlpha = header >> 23 != 0, isLandscape = sizes >> 15 != 0
        let long = hasAlpha ? 5 : 7, short = max(1, sizes & 7)
        let columns = isLandscape ? long : short, rows = isLandscape ? short : long
        guard !hasAlpha || hash.count > 5 else { return nil }
        var factors = hash.dropFirst(hasAlpha ? 6 : 5).flatMap { [$0 & 15, $0 >> 4] }[...]

        func channel(_ mean: Float, _ scale: Float, _ columns: Int, _ rows: Int) -> Channel? {
            var channel = Channel(mean: mean)
            for y in 0..<rows {
                for x in (y == 0 ? 1 : 0)..<columns where x * rows < columns * (rows - y) {
                    guard let factor = factors.popFirst() else { return nil }
                    channel.waves.append((x, y, (Float(factor) / 7.5 - 1) * scale))
                }
            }
            return channel
        }
        // The colours' scale is larger by a quarter, because quantization takes saturation away.
        guard
            let light = channel(Float(header & 63) / 63, Float(header >> 18 & 31) / 31, max(3, columns), max(3, rows)),
            let yellow = channel(Float(header >> 6 & 63) / 31.5 - 1, Float(sizes >> 3 & 63) / 63 * 1.25, 3, 3),
            let red = channel(Float(header >> 12 & 63) / 31.5 - 1, Float(sizes >> 9 & 63) / 63 * 1.25, 3, 3),
            let alpha = hasAlpha
                ? channel(Float(hash[5] & 15) / 15, Float(hash[5] >> 4) / 15, 5, 5) : Channel(mean: 1)
        else { return nil }

        let ratio = Float(columns) / Float(rows)
        width = Int((ratio > 1 ? 32 : 32 * ratio).rounded())
        height = Int((ratio > 1 ? 32 / ratio : 32).rounded())
        for row in 0..<height {
            let y = (0..<7).map { cos(.pi / Float(height) * (Float(row) + 0.5) * Float($0)) }
            for column in 0..<width {
                let x = (0..<7).map { cos(.pi / Float(width) * (Float(column) + 0.5) * Float($0)) }
                let l = light.value(x, y), p = yellow.value(x, y), q = red.value(x, y)
                let b = l - 2 / 3 * p
                let r = (3 * l - b + q) / 2
                pixels += [r, r - q, b, alpha.value(x, y)].map { UInt8(max(0, min(1, $0)) * 255) }
            }
        }
    }
}
