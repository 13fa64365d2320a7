/// A rotation, and then perhaps an exchange of left and right.
struct PictureTurn {
    /// The number of quarters of a turn, clockwise.
    private var quarters = 0
    private var isMirrored = false

    init() {}

    /// Rotates clockwise, by a negative number of quarters anticlockwise.
    mutating func rotate(quarters count: Int) { quarters += isMirrored ? -count : count }

    /// Exchanges left and right, or top and bottom.
    mutating func mirror(swapsSides: Bool) {
        if !swapsSides { quarters += 2 }
        isMirrored.toggle()
    }

    /// The EXIF orientation that means the same, from 1 to 8.
    var orientation: Int { (isMirrored ? [2, 5, 4, 7] : [1, 6, 3, 8])[quarters & 3] }
}
