/// The turn and mirroring of the stored picture, in EXIF's numbers: 1 is upright, 2 to 8 are mirrored or turned.
struct Orientation: Equatable {
    let exif: Int

    static let upright = Orientation(exif: 1)

    /// Reads the matrix of a movie's track (ISO/IEC 14496-12, 6.2.2). Anything but quarter turns and mirroring counts
    /// as upright.
    init(displayMatrix matrix: [Int32]) {
        guard matrix.count == 9 else {
            self = .upright
            return
        }
        let (a, b, c, d) = (matrix[0].signum(), matrix[1].signum(), matrix[3].signum(), matrix[4].signum())
        switch (a, b, c, d) {
        case (-1, 0, 0, 1): exif = 2
        case (-1, 0, 0, -1): exif = 3
        case (1, 0, 0, -1): exif = 4
        case (0, 1, 1, 0): exif = 5
        case (0, 1, -1, 0): exif = 6
        case (0, -1, -1, 0): exif = 7
        case (0, -1, 1, 0): exif = 8
        default: exif = 1
        }
    }

    private init(exif: Int) { self.exif = exif }

    /// The matrix of a track that is turned but not mirrored, without the offsets that players ignore.
    var displayMatrix: [Int32] {
        let one: Int32 = 1 << 16
        let (a, b, c, d): (Int32, Int32, Int32, Int32) =
            switch exif {
            case 3: (-one, 0, 0, -one)
            case 6: (0, one, -one, 0)
            case 8: (0, -one, one, 0)
            default: (one, 0, 0, one)
            }
        return [a, b, 0, c, d, 0, 0, 0, 1 << 30]
    }

    var isTransposed: Bool { exif > 4 }
    /// A Boolean value that indicates whether the picture is mirrored. Players agree on turned movies, but not on
    /// mirrored ones.
    var isMirrored: Bool { [2, 4, 5, 7].contains(exif) }
}
