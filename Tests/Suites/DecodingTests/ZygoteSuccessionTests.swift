import Base
import Media
import Testing

@testable import Decoding

/// S10: Tests that a crash makes another zygote take over, but not so often that a source can keep the pool busy.
@Suite("The zygotes") struct ZygoteSuccessionTests {
    private let start = Instant(sinceOrigin: .zero)

    @Test("a zygote whose process crashed is replaced at once, and counted as replaced, not as restarted")
    func first() {
        var zygotes = ZygoteSuccession()
        let first = zygotes.started(pid: 1)
        #expect(!zygotes.isReplacementDue(at: start))
        zygotes.condemn(first, at: start)
        #expect(zygotes.isReplacementDue(at: start))
        zygotes.retire(at: start)
        #expect(zygotes.current == nil && zygotes.retired == [first])
        let second = zygotes.started(pid: 2)
        // Later ends of its predecessor's processes don't count against it.
        zygotes.condemn(first, at: start)
        #expect(!zygotes.isReplacementDue(at: start + .seconds(100)))
        #expect(zygotes.replacements == 1 && zygotes.restarts == 0)
        let wasCurrent = zygotes.ended(first)
        #expect(!wasCurrent && zygotes.retired.isEmpty)
        let isCurrent = zygotes.ended(second)
        #expect(isCurrent)
        _ = zygotes.started(pid: 3)
        #expect(zygotes.restarts == 1)
    }

    @Test("during a series of crashes replacements become ever rarer, and after a calm as frequent as at first")
    func campaign() {
        var zygotes = ZygoteSuccession()
        var (now, gaps, last) = (start, [Duration](), start)
        while now < start + .seconds(200) {
            let number = zygotes.current?.number ?? zygotes.started(pid: 1)
            zygotes.condemn(number, at: now)
            if zygotes.isReplacementDue(at: now) {
                gaps.append(now - last)
                last = now
                zygotes.retire(at: now)
                _ = zygotes.ended(number)
            } else if let next = zygotes.nextReplacement(after: now) {
                #expect(next > now && next <= now + .seconds(30))
            }
            now = now + .milliseconds(100)
        }
        #expect(
            gaps == [.zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]
                + Array(repeating: .seconds(30), count: 5)
        )
        now = last + .seconds(60)
        zygotes.condemn(zygotes.started(pid: 1), at: now)
        #expect(zygotes.isReplacementDue(at: now))
        zygotes.retire(at: now)
        zygotes.condemn(zygotes.started(pid: 1), at: now)
        #expect(zygotes.nextReplacement(after: now) == now + .seconds(1))
    }

    @Test("at most two old zygotes live on for their last jobs")
    func retired() {
        var zygotes = ZygoteSuccession()
        var now = start
        for _ in 0..<2 {
            now = now + .seconds(100)
            zygotes.condemn(zygotes.started(pid: 1), at: now)
            zygotes.retire(at: now)
        }
        now = now + .seconds(100)
        zygotes.condemn(zygotes.started(pid: 1), at: now)
        #expect(!zygotes.isReplacementDue(at: now))
        _ = zygotes.ended(1)
        #expect(zygotes.isReplacementDue(at: now))
    }
}
