import Foundation
import Media
import Testing
import Support

/// A movie with a different color in each corner and a track matrix that turns it.
struct TurnedMovie: CustomTestStringConvertible, Sendable {
    /// The matrix entries `a b c d` of ISO/IEC 14496-12, 6.2.2: a point (p, q) is shown at (a·p + c·q, b·p + d·q).
    var matrix: [Int]

    var testDescription: String { "\(matrix)" }

    static let all = [
        [1, 0, 0, 1], [0, 1, -1, 0], [-1, 0, 0, -1], [0, -1, 1, 0],
        [-1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, -1, 0],
    ].map { TurnedMovie(matrix: $0) }

    var isMirrored: Bool { matrix[0] * matrix[3] - matrix[1] * matrix[2] < 0 }

    /// Red, green, blue and white, by corner of the stored picture. Right and down are positive.
    static let corners = [
        (-1, -1, [255, 0, 0]), (1, -1, [0, 255, 0]), (-1, 1, [0, 0, 255]), (1, 1, [255, 255, 255]),
    ]

    static let upright: [UInt8] = {
        let source = """
            color=red:s=160x80:d=1:r=10[a];color=lime:s=160x80:d=1:r=10[b];\
            color=blue:s=160x80:d=1:r=10[c];color=white:s=160x80:d=1:r=10[d];\
            [a][b]hstack[top];[c][d]hstack[bottom];[top][bottom]vstack
            """
        let encoding = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "10", "-pix_fmt", "yuv420p"]
        return (try? FFmpeg.make("a.mp4", ["-filter_complex", source] + encoding)) ?? []
    }()

    func bytes() throws -> [UInt8] {
        var bytes = Self.upright
        let header = try #require(bytes.firstRange(of: Array("tkhd".utf8))).upperBound
        for (place, number) in zip([0, 1, 3, 4], matrix) {
            let fixed = UInt32(bitPattern: Int32(number) << 16)
            for index in 0..<4 {
                bytes[header + 40 + 4 * place + index] = UInt8(fixed >> (24 - 8 * UInt32(index)) & 0xFF)
            }
        }
        return bytes
    }

    /// Returns the color that is shown in the corner (x, y).
    func color(x: Int, y: Int) -> [Int]? {
        Self.corners.first { p, q, _ in
            matrix[0] * p + matrix[2] * q == x && matrix[1] * p + matrix[3] * q == y
        }?.2
    }
}

@Suite("Turned and mirrored video", .needsFFmpeg, .timeLimit(.minutes(10)))
struct OrientationTests {
    @Test("is upright in the poster and in the clip", arguments: TurnedMovie.all, [Rung.poster, .copied, .transcoded])
    func upright(movie: TurnedMovie, rung: Rung) throws {
        let (output, failure) = try transform(MemorySource(movie.bytes()), .mp4, rungs: [rung])
        guard rung != .copied || !movie.isMirrored else {
            // Players disagree about mirrored movies.
            #expect(output.last == nil && failure != nil)
            return
        }
        let last = try #require(output.last)
        let isTransposed = movie.matrix[0] == 0
        #expect(last.report.width == (isTransposed ? 160 : 320) && last.report.height == (isTransposed ? 320 : 160))
        for (x, y) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
            let found = try FFmpeg.color(of: last.bytes, x: x, y: y)
            let wanted = try #require(movie.color(x: x, y: y))
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 30 }, "\(found) at \(x), \(y), not \(wanted)")
        }
    }
}

extension FFmpeg {
    /// Returns the mean color of the displayed first frame near one corner.
    static func color(of bytes: [UInt8], x: Int, y: Int) throws -> [Int] {
        try withFile(bytes) { path in
            let filter =
                "crop=w=iw/4:h=ih/4:x=iw*\(x < 0 ? 1 : 5)/8:y=ih*\(y < 0 ? 1 : 5)/8,scale=1:1:flags=area,format=rgb24"
            let arguments = ["-v", "error", "-i", path, "-vf", filter, "-frames:v", "1", "-f", "rawvideo", "-"]
            return [UInt8](try run("ffmpeg", arguments).output).map(Int.init)
        }
    }
}
