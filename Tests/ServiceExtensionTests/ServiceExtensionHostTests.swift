import ServiceExtension
import Support
import Testing
import Timing

@Suite("The service extension's host", .timeLimit(.minutes(10)))
struct ServiceExtensionHostTests {
    let time = TestTime()
    var expiry: Instant { Instant(sinceOrigin: .seconds(10)) }

    private func delivery(of behaviour: ScriptedExtension.Behaviour) -> Task<Delivery, Never> {
        let serviceExtension = ScriptedExtension(behaviour: behaviour, time: time, expiry: expiry)
        return Task { [time, expiry] in
            await ServiceExtensionHost(time: time).delivery(ofAttachments: 1, until: expiry, from: serviceExtension.run)
        }
    }

    @Test(
        "the content of an extension that returns is delivered without waiting for the deadline",
        arguments: 0..<100
    )
    func returns(run: Int) async {
        let delivery = await delivery(of: .returns).value
        #expect(delivery.cause == .returned)
        #expect(delivery.attachments[0].isComplete)
    }

    @Test("the best attempt of an extension that throws is delivered", arguments: 0..<100)
    func fails(run: Int) async {
        let delivery = await delivery(of: .fails).value
        #expect(delivery.cause == .failed)
        #expect(delivery.attachments[0].source.fetched == 1)
    }

    @Test(
        "an extension that hangs, or ignores cancellation, is abandoned at the deadline with its best attempt",
        arguments: [ScriptedExtension.Behaviour.hangs, .sleepsPastExpiry],
        0..<100,
    )
    func hangs(behaviour: ScriptedExtension.Behaviour, run: Int) async {
        let delivery = delivery(of: behaviour)
        await time.sleepers(behaviour == .hangs ? 1 : 2)
        for _ in 0..<run % 5 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(await delivery.value.cause == .expired)
    }

    @Test("files that became ready before the deadline are in the content that is delivered then", arguments: 0..<50)
    func bestAttempt(run: Int) async {
        let reached = Signal()
        let delivery = delivery(of: .marksAndHangs(reached))
        await reached.wait()
        await time.sleepers(1)
        time.advance(by: .seconds(10))
        #expect(await delivery.value.attachments[0].source.fetched == 1)
    }

    @Test("an extension that ends at the deadline's instant gives one content, whichever is first", arguments: 0..<300)
    func sameInstant(run: Int) async {
        let delivery = delivery(of: .endsAtExpiry)
        await time.sleepers(2)
        for _ in 0..<run % 7 { await Task.yield() }
        time.advance(by: .seconds(10))
        let delivered = await delivery.value
        #expect([.returned, .expired].contains(delivered.cause))
        #expect(delivered.attachments.count == 1)
    }

    @Test("before the deadline the host leaves a slow extension alone")
    func inTime() async {
        let delivery = delivery(of: .endsAtExpiry)
        await time.sleepers(2)
        time.advance(by: .milliseconds(9999))
        await time.sleepers(2)
        time.advance(by: .milliseconds(1))
        #expect(await delivery.value.attachments.count == 1)
    }

    @Test("of two answers only the first is delivered, even when both come at once", arguments: 0..<200)
    func answersOnce(run: Int) async {
        let answer = Task { [time] in
            await time.answer(by: Instant(sinceOrigin: .seconds(1))) {
                for _ in 0..<run % 4 { await Task.yield() }
                try? await time.sleep(until: Instant(sinceOrigin: .seconds(1)))
                return "work"
            } else: {
                "fallback"
            }
        }
        await time.sleepers(2)
        time.advance(by: .seconds(1))
        #expect(["work", "fallback"].contains(await answer.value))
    }
}
