import Foundation
import Media
import Support
import Testing

/// Tests hostile bytes with the real decoder (SECURITY S1, S12: none of them leads to a forbidden system call).
///
/// Each test has its own process and counts only its own effects. `Scripts/hostile` sets `ATTACHD_MUTATIONS` to try
/// more files than usual.
@Suite(.serialized, .needsSharedMedia, .timeLimit(.minutes(60)))
struct HostileFilesTests {
    @Test("every hostile file, under its own format and any other, is answered and leaves nothing behind")
    func files() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            BlockingLimit.begin()
            try await Siege.lay(to: Source.hostile())
        }
        show(result)
    }

    @Test("every good file that is truncated or has wrong bytes is answered and leaves nothing behind")
    func mutations() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let count = ProcessInfo.processInfo.environment["ATTACHD_MUTATIONS"].flatMap { Int($0) } ?? 1000
            BlockingLimit.begin(seconds: BlockingLimit.seconds + count / 4)
            let mutations = try Mutations()
            try await Siege.lay(to: (0..<count).lazy.map { mutations[$0] })
        }
        show(result)
    }

    private func show(_ result: ExitTest.Result?) {
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
    }
}
