import CLibav

/// The shape of stored pixels: how many times as wide as high they are.
struct PixelRatio: Equatable {
    static let square = PixelRatio(rational: AVRational(num: 1, den: 1))

    /// The ratio as libav has it. Both numbers are positive.
    let rational: AVRational

    /// Creates the ratio. An unknown one, and one that no camera or disc has, counts as square.
    init(_ ratio: AVRational) {
        let (width, height) = (Int64(ratio.num), Int64(ratio.den))
        let isPlausible = width > 0 && height > 0 && width < 10 * height && height < 10 * width
        self = isPlausible ? PixelRatio(rational: ratio) : .square
    }

    private init(rational: AVRational) { self.rational = rational }

    var isSquare: Bool { rational.num == rational.den }

    static func == (left: PixelRatio, right: PixelRatio) -> Bool { av_cmp_q(left.rational, right.rational) == 0 }
}
