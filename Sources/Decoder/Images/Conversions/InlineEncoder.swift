import Base
import CVips
import DecoderWire
import Glibc
import Media

/// An encoder of tiny pictures that payloads carry themselves.
struct InlineEncoder {
    /// The longer sides that are tried, in pixels, from large to small.
    private static let edges = [InlinePicture.longestEdge, 64, 40, 24]
    /// The most bytes of each file, from large to small: for an empty payload, and for one that is nearly full.
    private static let byteLimits = [InlinePicture.byteLimit, 600]
    /// Coarse, because a phone shows the picture enlarged and blurred, if at all.
    private static let quality = 45
    /// The longer side of the picture that is hashed. The hash has seven waves at most.
    private static let hashedEdge = 32

    let rules: ImageRules

    /// Returns the tiny version of a finished picture in memory, or `nil` if the profile wants none or it fails: the
    /// picture itself is complete without it.
    func encode(_ picture: borrowing Picture) -> InlinePicture? {
        guard rules.inline != .off else { return nil }
        do throws(DecodeError) {
            let small = try picture.reduced(toAbout: InlinePicture.longestEdge)
            let hash = try thumbHash(small.inMemory(scaledTo: small.size.fitting(longEdge: Self.hashedEdge)))
            guard rules.inline == .auto else { return InlinePicture(thumbHash: hash) }
            let flat = small.hasAlpha ? try small.flattenedOnWhite().inMemory() : small.shared()
            let files = try files(of: flat)
            return InlinePicture(thumbHash: hash, format: rules.format, pictures: files)
        } catch {
            return nil
        }
    }

    private func files(of picture: borrowing Picture) throws(DecodeError) -> [[UInt8]] {
        guard let coder = rules.format.picture?.coder else { return [] }
        var files: [[UInt8]] = []
        for edge in Self.edges {
            guard files.count < Self.byteLimits.count else { break }
            let scaled = try picture.inMemory(scaledTo: picture.size.fitting(longEdge: edge))
            let bytes = try coder.encode(scaled, Self.quality)
            let file = try unsafe bytes.withBytes { (bytes) throws(DecodeError) in unsafe [UInt8](bytes) }
            if file.count <= Self.byteLimits[files.count] { files.append(file) }
        }
        return files
    }

    private func thumbHash(_ picture: borrowing Picture) throws(DecodeError) -> [UInt8] {
        let (width, height, bands) = (picture.width, picture.height, picture.bands)
        let values = picture.pixels
        let colors = picture.hasAlpha ? bands - 1 : bands
        var rgba: [UInt8] = []
        rgba.reserveCapacity(width * height * 4)
        for start in stride(from: 0, to: values.count, by: bands) {
            for band in 0..<3 { rgba.append(values[start + (colors < 3 ? 0 : band)]) }
            rgba.append(picture.hasAlpha ? values[start + bands - 1] : 255)
        }
        return ThumbHash(width: width, height: height, rgba: rgba).bytes
    }
}

// MARK: - ThumbHash

/// The ThumbHash of a small picture (evanw.github.io/thumbhash): the lowest waves of its brightness, two differences of
/// color, and alpha.
struct ThumbHash {
    let bytes: [UInt8]

    /// Creates the hash of a picture of `width` times `height` pixels with four values each: red, green, blue, alpha.
    init(width: Int, height: Int, rgba: [UInt8]) {
        let pixels = width * height
        let alphas = (0..<pixels).map { Double(rgba[$0 * 4 + 3]) / 255 }
        let alphaSum = alphas.reduce(0, +)
        // The color behind a transparent pixel is the mean of the others.
        let mean = (0..<3).map { band in
            guard alphaSum > 0 else { return Double(0) }
            return (0..<pixels).reduce(Double(0)) { $0 + alphas[$1] / 255 * Double(rgba[$1 * 4 + band]) } / alphaSum
        }
        func color(_ pixel: Int, _ band: Int) -> Double {
            mean[band] * (1 - alphas[pixel]) + alphas[pixel] / 255 * Double(rgba[pixel * 4 + band])
        }
        let hasAlpha = alphaSum < Double(pixels)
        let longer = max(width, height)
        // A picture with alpha has fewer waves of brightness.
        let most = hasAlpha ? 5 : 7
        func waves(_ side: Int) -> Int { max(1, Int(clamping: (Double(most * side) / Double(longer)).rounded())) }
        let (across, down) = (waves(width), waves(height))
        let spectrum = Spectrum(width: width, height: height)
        let brightness = spectrum.channel(max(3, across), max(3, down)) { pixel in
            (color(pixel, 0) + color(pixel, 1) + color(pixel, 2)) / 3
        }
        let yellow = spectrum.channel(3, 3) { (color($0, 0) + color($0, 1)) / 2 - color($0, 2) }
        let red = spectrum.channel(3, 3) { color($0, 0) - color($0, 1) }
        let alpha = hasAlpha ? spectrum.channel(5, 5) { alphas[$0] } : nil
        let isWide = width > height
        var header = Self.part(63, brightness.constant) | Self.signed(yellow.constant) << 6
        header |= Self.signed(red.constant) << 12 | Self.part(31, brightness.scale) << 18 | (hasAlpha ? 1 : 0) << 23
        var rest = (isWide ? down : across) | Self.part(63, yellow.scale) << 3
        rest |= Self.part(63, red.scale) << 9 | (isWide ? 1 : 0) << 15
        var bytes = [header, header >> 8, header >> 16, rest, rest >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let alpha { bytes.append(UInt8(Self.part(15, alpha.constant) | Self.part(15, alpha.scale) << 4)) }
        let coefficients = ([brightness, yellow, red] + (alpha.map { [$0] } ?? [])).flatMap(\.waves)
        for start in stride(from: 0, to: coefficients.count, by: 2) {
            let high = start + 1 < coefficients.count ? Self.part(15, coefficients[start + 1]) : 0
            bytes.append(UInt8(Self.part(15, coefficients[start]) | high << 4))
        }
        self.bytes = bytes
    }

    /// Returns a value from 0 to 1 in steps of `1 / most`.
    private static func part(_ most: Int, _ value: Double) -> Int {
        Int(clamping: (Double(most) * min(1, max(0, value))).rounded())
    }

    /// Returns a value from -1 to 1 in 63 steps.
    private static func signed(_ value: Double) -> Int {
        Int(clamping: (31.5 + 31.5 * min(1, max(-1, value))).rounded())
    }
}

/// The cosines of a picture's rows and columns.
private struct Spectrum {
    /// A channel's mean, the waves beside it, from 0 to 1, and their scale.
    struct Channel {
        var constant: Double = 0
        var waves: [Double] = []
        var scale: Double = 0
    }

    let width: Int
    let height: Int
    private let across: [[Double]]
    private let down: [[Double]]

    init(width: Int, height: Int) {
        func cosines(_ side: Int) -> [[Double]] {
            (0..<7).map { wave in
                (0..<side).map { cos(Double.pi / Double(side) * Double(wave) * (Double($0) + 0.5)) }
            }
        }
        self.width = width
        self.height = height
        across = cosines(width)
        down = cosines(height)
    }

    /// Returns the waves of a channel below the diagonal from `columns` to `rows`.
    func channel(_ columns: Int, _ rows: Int, _ value: (Int) -> Double) -> Channel {
        let values = (0..<width * height).map(value)
        var channel = Channel()
        for row in 0..<rows {
            var column = 0
            while column * rows < columns * (rows - row) {
                var sum: Double = 0
                for y in 0..<height {
                    var line: Double = 0
                    for x in 0..<width { line += values[y * width + x] * across[column][x] }
                    sum += line * down[row][y]
                }
                sum /= Double(width * height)
                if column == 0, row == 0 {
                    channel.constant = sum
                } else {
                    channel.waves.append(sum)
                    channel.scale = max(channel.scale, abs(sum))
                }
                column += 1
            }
        }
        let scale = channel.scale
        if scale > 0 { channel.waves = channel.waves.map { 0.5 + 0.5 / scale * $0 } }
        return channel
    }
}
