/// Three numbers: the red, green and blue of a colour, or its CIE XYZ.
typealias Vector = SIMD3<Float>

/// A linear map between colour spaces, by rows.
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
