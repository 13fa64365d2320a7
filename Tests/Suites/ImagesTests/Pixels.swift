import CVips
import DecoderWire
import Foundation
import Media

@testable import Images
import Support

/// The decoded pixels of a finished file.
struct Pixels: Equatable {
    var width: Int
    var height: Int
    var bands: Int
    var values: [UInt8]

    /// Decodes a file, and throws on any warning unless `isStrict` is `false`. Several frames are stacked vertically.
    init(_ bytes: [UInt8], _ format: MediaFormat, frames: Int = 1, isStrict: Bool = true) throws {
        let failOn = isStrict ? VIPS_FAIL_ON_WARNING : VIPS_FAIL_ON_ERROR
        let loader = PictureLoader(format: format, frames: frames, failOn: failOn)
        self.init(try loader.open(PictureSource(MemorySource(bytes), format)).in8Bits().inMemory())
    }

    /// Copies the pixels of a picture in memory with 8 bits.
    init(_ picture: borrowing Picture) {
        (width, height, bands) = (picture.width, picture.height, picture.bands)
        values = picture.pixels
    }

    init(_ emitted: CollectedRungs.Emitted) throws {
        try self.init(emitted.bytes, emitted.report.format.media, frames: emitted.report.frames ?? 1)
    }

    func at(_ x: Int, _ y: Int) -> [Int] {
        let start = (y * width + x) * bands
        return values[start..<start + bands].map(Int.init)
    }

    /// Returns the similarity of the colors in decibels: at 30, a phone hardly shows a difference. Returns 0 for
    /// another size.
    func likeness(to other: Pixels) -> Double {
        guard (width, height, bands) == (other.width, other.height, other.bands) else { return 0 }
        let error = zip(values, other.values).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        return 10 * log10(255 * 255 / max(1e-9, error / Double(values.count)))
    }

    /// Returns the first `rows` rows.
    func prefix(_ rows: Int) -> Pixels {
        var part = self
        part.height = rows
        part.values = Array(values.prefix(rows * width * bands))
        return part
    }
}

/// Returns whether two colors are nearly the same.
func isNear(_ left: [Int], _ right: [Int], within tolerance: Int = 12) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) <= tolerance }
}
