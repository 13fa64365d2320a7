import Base
import Glibc

/// The conversion of a picture's colors to 8-bit sRGB, which every screen shows.
///
/// High dynamic range is mapped to standard: diffuse white keeps nearly the brightness that it has beside other pictures,
/// and only brighter values are compressed. Without the mapping, the pictures look gray and washed out. Colors that
/// sRGB does not have become the nearest values that it has.
package struct ColorMapping: Sendable {
    /// The brightness up to which values do not change, with diffuse white as 1.
    private static let knee: Float = 0.75
    /// The number of code values that are told apart, in both directions.
    private static let steps = 4096
    /// The share of the brightest pixels that may be clipped, so that a few reflections don't darken a picture.
    private static let clippedShare = 0.001

    private let coding: ColorCoding
    private let matrix: Matrix
    private let luminance: Vector
    /// The brightness that becomes white, with diffuse white as 1.
    private let peak: Float
    /// The light for each code value.
    private let light: [Float]
    /// The factor from the light of the scene to that of the screen; empty where they are the same.
    private let gain: [Float]
    /// The code values of sRGB for the square roots of light, which are about as fine as the eye.
    private let code: [UInt8]

    /// Creates the conversion from `coding`. `peak` is the largest brightness of the picture, with diffuse white as 1.
    /// Without it, brightness is compressed as if it had no end, which suits the pictures of a video.
    package init(from coding: ColorCoding, peak: Float = .infinity) {
        let scale = (0..<Self.steps).map { Float($0) / Float(Self.steps - 1) }
        let transfer = coding.transfer
        self.coding = coding
        matrix = coding.primaries.toStandard ?? .identity
        luminance = coding.primaries.luminance
        self.peak = transfer.isHighDynamicRange ? max(1, peak) : 1
        light = scale.map { transfer.light(coding.hasHeadroom ? min(max(($0 * 255 - 16) / 219, 0), 1) : $0) }
        gain = transfer == .hybridLogGamma ? scale.map(transfer.gain) : []
        code = scale.map { UInt8(clamping: (TransferFunction.standardCode($0 * $0) * 255).rounded()) }
    }

    /// Converts `count` pixels of 16-bit values with `bands` bands: gray or red, green and blue, and perhaps alpha, which
    /// becomes 8 bits.
    package func map(_ from: UnsafePointer<UInt16>, _ to: UnsafeMutablePointer<UInt8>, count: Int, bands: Int = 3) {
        for start in stride(from: 0, to: count * bands, by: bands) {
            let (source, target) = unsafe (from + start, to + start)
            if bands < 3 {
                unsafe target[0] = gray(source[0])
            } else {
                let color = unsafe color(source[0], source[1], source[2])
                unsafe target[0] = color.x
                unsafe target[1] = color.y
                unsafe target[2] = color.z
            }
            if bands == 2 || bands == 4 { unsafe target[bands - 1] = UInt8(source[bands - 1] >> 8) }
        }
    }

    /// Counts the pixels of a row by the upper 12 bits of their largest value, for `peak(of:)`.
    package func count(_ row: [UInt16], bands: Int, into counts: inout [Int]) {
        let colors = bands < 3 ? 1 : 3
        for start in stride(from: 0, to: row.count - bands + 1, by: bands) {
            var most = row[start]
            for band in 1..<colors where row[start + band] > most { most = row[start + band] }
            counts[Int(most >> 4)] += 1
        }
    }

    /// Returns the brightness below which nearly all pixels are, with diffuse white as 1. `counts` are those that `count`
    /// made of all rows.
    package func peak(of counts: [Int]) -> Float {
        var left = Int(clamping: Double(counts.reduce(0, +)) * Self.clippedShare)
        for (step, count) in counts.enumerated().reversed() where step < Self.steps {
            left -= count
            if left < 0 { return screenLight(step) }
        }
        return 1
    }

    /// The counts of a picture without pixels.
    package static var noCounts: [Int] { [Int](repeating: 0, count: steps) }

    private func screenLight(_ step: Int) -> Float {
        gain.isEmpty ? light[step] : light[step] * gain[index(light[step])]
    }

    private func gray(_ value: UInt16) -> UInt8 {
        let light = screenLight(Int(value >> 4))
        return code[rootIndex(light * compression(of: light))]
    }

    private func color(_ red: UInt16, _ green: UInt16, _ blue: UInt16) -> SIMD3<UInt8> {
        var color = Vector(light[Int(red >> 4)], light[Int(green >> 4)], light[Int(blue >> 4)])
        if !gain.isEmpty { color *= gain[index(luminance.dot(color))] }
        color = compression(of: color.max()) * (matrix * color)
        return SIMD3(code[rootIndex(color.x)], code[rootIndex(color.y)], code[rootIndex(color.z)])
    }

    private func rootIndex(_ light: Float) -> Int { index(max(light, 0).squareRoot()) }

    /// Returns the nearest step of a table for `value`, from 0 to 1.
    ///
    /// The lowest bits of a number from 2^23 to 2^24 are its whole part. A conversion that cannot trap takes longer.
    private func index(_ value: Float) -> Int {
        Int((min(max(value, 0), 1) * Float(Self.steps - 1) + 0x1p23).bitPattern) & (Self.steps - 1)
    }

    /// Returns the factor for colors whose brightest part is `light`, so that the peak becomes 1. The curve goes on in
    /// the direction of the straight part, and is straight for a peak of 1: Reinhard et al., "Photographic tone
    /// reproduction", equation 4, above the knee.
    private func compression(of light: Float) -> Float {
        guard light > Self.knee, peak > 1 else { return 1 }
        let excess = (light - Self.knee) / (1 - Self.knee)
        let most = (peak - Self.knee) / (1 - Self.knee)
        let compressed = excess * (1 + excess / (most * most)) / (1 + excess)
        return (Self.knee + (1 - Self.knee) * compressed) / light
    }
}

// MARK: - Matrices

/// Three numbers: the red, green and blue of a color, or its CIE XYZ.
typealias Vector = SIMD3<Float>

/// A linear map between color spaces, by rows.
struct Matrix: Sendable, Equatable {
    var rows: (Vector, Vector, Vector)

    init(_ first: Vector, _ second: Vector, _ third: Vector) { rows = (first, second, third) }

    static let identity = Matrix(Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))

    init(diagonal: Vector) {
        self.init(Vector(diagonal.x, 0, 0), Vector(0, diagonal.y, 0), Vector(0, 0, diagonal.z))
    }

    var transposed: Matrix {
        Matrix(
            Vector(rows.0.x, rows.1.x, rows.2.x),
            Vector(rows.0.y, rows.1.y, rows.2.y),
            Vector(rows.0.z, rows.1.z, rows.2.z),
        )
    }

    /// The inverse. Its numbers are not finite if the matrix cannot be inverted.
    var inverse: Matrix {
        let (a, b, c) = (rows.1.cross(rows.2), rows.2.cross(rows.0), rows.0.cross(rows.1))
        let determinant = rows.0.dot(a)
        return Matrix(a / determinant, b / determinant, c / determinant).transposed
    }

    static func * (matrix: Matrix, vector: Vector) -> Vector {
        Vector(matrix.rows.0.dot(vector), matrix.rows.1.dot(vector), matrix.rows.2.dot(vector))
    }

    static func * (left: Matrix, right: Matrix) -> Matrix {
        let columns = right.transposed
        return Matrix(left * columns.rows.0, left * columns.rows.1, left * columns.rows.2).transposed
    }

    static func == (left: Matrix, right: Matrix) -> Bool { left.rows == right.rows }

    /// The largest difference between a number of `self` and of `other`; not a number if one of them isn't.
    func distance(to other: Matrix) -> Float {
        let differences = [rows.0 - other.rows.0, rows.1 - other.rows.1, rows.2 - other.rows.2]
        return differences.flatMap { [$0.x, $0.y, $0.z] }.reduce(0) { $1.isNaN ? $1 : max($0, abs($1)) }
    }
}

extension Vector {
    func dot(_ other: Vector) -> Float { (self * other).sum() }

    func cross(_ other: Vector) -> Vector {
        Vector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}
