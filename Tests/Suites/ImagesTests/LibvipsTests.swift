import Foundation
import Images
import Support
import Testing

extension ImagesTests {
    @Suite("libvips in a process that forks", .timeLimit(.minutes(10)))
    struct LibvipsTests {
        @Test("the warm-up before a fork leaves no libvips thread behind")
        func threads() async {
            await #expect(processExitsWith: .success) {
                BlockingLimit.begin()
                try Libvips.start()
                Libvips.warmUpBeforeFork()
                #expect(try workers().isEmpty)
            }
        }
    }
}

/// Returns the names of libvips' own threads in this process.
private func workers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        .compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        .filter { $0.contains("vips") }
}
