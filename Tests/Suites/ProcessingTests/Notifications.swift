import Base
import Media
import Payloads
import Processing
import Support

/// Notifications through one pipeline with scripted steps, on a clock that the test moves.
struct Notifications {
    let time: TestTime
    let steps: ScriptedSteps
    let events = RecordedEvents<ProcessingEvent>()
    let pipeline: AttachmentPipeline

    init(
        _ time: TestTime,
        _ steps: ScriptedSteps,
        reuse: ReuseRule = ReuseRule(),
        index: (any PreparedIndex)? = nil,
        decoding cost: Duration? = nil,
    ) {
        self.time = time
        self.steps = steps
        let costs = CostModel()
        // The estimate of a first job is twice its time.
        if let cost { costs.learn(.jpeg, took: cost / 2) }
        pipeline = AttachmentPipeline(
            steps: steps.steps,
            reuse: reuse,
            index: index,
            time: time,
            costs: costs,
            recorder: events,
        )
    }

    /// Sends a notification whose picture is at `url`, with a deadline.
    func send(
        _ url: String = "https://a/1",
        due: Duration = .seconds(20),
        profile: Profile = .apns,
    ) throws -> Task<ProcessingResult, Never> {
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#
        let notification = try PayloadReader().read(Array(payload.utf8), identifier: "n1")
        let deadline = time.now + due
        return Task { [pipeline] in
            await pipeline.process(ProcessingRequest(notification: notification, profile: profile), deadline: deadline)
        }
    }

    /// Waits until `begun` attachments have started and `joined` have joined. The test's time limit bounds the wait.
    func until(begun: Int, joined: Int = 0) async throws {
        try await eventually { begunCount >= begun && joinedCount >= joined }
    }

    var begunCount: Int { events.count { if case .attachment(.begun) = $0 { true } else { false } } }
    var joinedCount: Int { events.count { if case .attachment(.joined) = $0 { true } else { false } } }
}

extension RecordedEvents<ProcessingEvent> {
    func count(_ event: AttachmentEvent) -> Int {
        count { if case .attachment(event) = $0 { true } else { false } }
    }
}
