import Base
import Media
import Preview
import Storage
import Synchronization
import Testing

@Suite("The preview's session")
struct PreviewSessionTests {
    private let token = Secret("0123456789abcdef")

    @Test("is valid for exactly twelve hours")
    func time() {
        let clock = Mutex(UnixTime(seconds: 1_000_000))
        let session = PreviewSession(token: Replaceable(token)) { clock.withLock { $0 } }
        let value = session.begin()
        #expect(session.holds(value))
        clock.withLock { $0 = $0 + .seconds(12 * 3600 - 1) }
        #expect(session.holds(value))
        clock.withLock { $0 = $0 + .seconds(1) }
        #expect(!session.holds(value))
    }

    @Test("ends with its token, and doesn't reveal it")
    func token2() {
        let value = PreviewSession(token: Replaceable(token)).begin()
        #expect(!PreviewSession(token: Replaceable(Secret("another0123456789"))).holds(value))
        #expect(!value.contains(token.revealed))
    }

    @Test("can't be extended or forged")
    func forged() {
        let session = PreviewSession(token: Replaceable(token))
        let parts = session.begin().split(separator: ".")
        for value in ["", ".", "9999999999.\(parts[1])", "\(parts[0])", "0\(parts[0]).\(parts[1])", "\(parts[0]).x"] {
            #expect(!session.holds(value), "\(value)")
        }
    }
}
