import Glibc
import Testing

@testable import Base

@Suite("A thread of its own", .timeLimit(.minutes(10)))
struct OwnThreadTests {
    @Test("an urgent thread does not pass its priority on to the threads that it starts")
    func inherits() async throws {
        let niceValues = await withCheckedContinuation { continuation in
            do {
                try OwnThread.start("urgent", isUrgent: true) {
                    let urgent = Self.niceValue
                    do {
                        try OwnThread.start("started") { continuation.resume(returning: [urgent, Self.niceValue]) }
                    } catch {
                        continuation.resume(returning: [])
                    }
                }
            } catch {
                continuation.resume(returning: [])
            }
        }
        let (urgent, started) = (try #require(niceValues.first), try #require(niceValues.last))
        // Where the system does not allow it, no thread is urgent.
        #expect(urgent == -10 || urgent >= 0)
        #expect(started >= 0)
    }

    private static var niceValue: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}
