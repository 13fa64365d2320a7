/// The measures of a video frame that tell a good poster from one that is black, white, plain, blurred, or half faded.
struct FrameDetail: Equatable {
    /// The longer side in pixels of the grey version that is measured. Blur that is invisible there does not matter.
    static let longEdge = 160
    /// The average brightness outside of which a frame looks black or white. Black is 16, white 235.
    private static let visible = 32.0...215.0
    /// The score from which on a frame has enough to see. A plain colour has 10.
    private static let enough = 25.0

    let brightness: Double
    /// The standard deviation of the brightness.
    let contrast: Double
    /// The mean difference between neighbours in a row.
    let sharpness: Double

    /// Measures rows of `width` bytes each.
    init(of bytes: [UInt8], width: Int) {
        var (sum, squares, differences) = (0, 0, 0)
        for index in 0..<bytes.count {
            let value = Int(bytes[index])
            sum += value
            squares += value * value
            if index % width != 0 { differences += abs(value - Int(bytes[index - 1])) }
        }
        let count = Double(max(1, bytes.count))
        brightness = Double(sum) / count
        contrast = max(0, Double(squares) / count - brightness * brightness).squareRoot()
        sharpness = Double(differences) / count
    }

    var isVisible: Bool { Self.visible.contains(brightness) }
    /// A measure of how much there is to see. What is visible but plain comes before what is black or white.
    var score: Double { isVisible ? 10 + contrast + 3 * sharpness : (contrast + 3 * sharpness) / 4 }
    var isEnough: Bool { score >= Self.enough }
}
