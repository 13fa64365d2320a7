import Base
import Foundation
import Media
import Support

/// A tree of real media files: good, damaged, truncated and hostile, and some that are not media. All contents differ.
struct MixedFiles {
    let count: Int

    func write(below root: URL) throws {
        var random = SplitMix(seed: 8)
        let folders = ["images", "audio", "video", "hostile"]
        let all = folders.flatMap { folder in SharedMedia.paths(in: folder) }
        // The long ones are used once, unchanged.
        let small = try all.filter { try SharedMedia.bytes($0).count < 200_000 }
        for index in 0..<count {
            let path = index < all.count ? all[index] : small[Int(random.next() % UInt64(small.count))]
            var bytes = try SharedMedia.bytes(path)
            if index >= all.count { Self.damage(&bytes, index, &random) }
            let url = root.appending(
                path: "folder \(index % 7)/\(index % 3)/\(index)-\(path.split(separator: "/").last ?? "")"
            )
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(bytes).write(to: url)
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ index: Int, _ random: inout SplitMix) {
        switch index % 5 {
        case 0:
            for _ in 0..<20 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
        case 1: bytes = Array(bytes.prefix(1 + Int(random.next() % UInt64(bytes.count))))
        case 2 where index % 20 == 2: bytes = Array("no media at all, number \(index)".utf8)
        default: break
        }
        bytes += Array("\(index)".utf8)
    }
}
