import Foundation
import Media
import Support
import Testing

/// Bytes that nobody made in good faith, through the real decoder (SECURITY S1, S12: no forbidden system call in any of them).
///
/// Each test has a process of its own, so that what it counts there is its own. With more `ATTACHD_MUTATIONS` than
/// the usual ones, `Scripts/hostile` looks further.
@Suite(.serialized, .needsSharedMedia)
struct HostileFilesTests {
    @Test("every hostile file, taken for what it is and for what it is not, is answered and leaves nothing behind")
    func files() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await Siege.lay(to: Source.hostile())
        }
        show(result)
    }

    @Test("every good file that is cut short or has wrong bytes is answered and leaves nothing behind")
    func mutations() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let count = ProcessInfo.processInfo.environment["ATTACHD_MUTATIONS"].flatMap { Int($0) } ?? 2000
            let mutations = try Mutations()
            try await Siege.lay(to: (0..<count).lazy.map { mutations[$0] })
        }
        show(result)
    }

    private func show(_ result: ExitTest.Result?) {
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
    }
}
