import Base
import Media
import Support
import Synchronization
import Testing

@testable import Processing

/// Tests that what was fetched with the access of a rule is used again for that rule only (SECURITY N13).
@Suite("The identity of sources that need a key", .timeLimit(.minutes(10)))
struct SourceIdentityTests {
    /// Steps whose sources have the access that the test says.
    private final class GuardedSteps: AttachmentDownloading {
        let base: ScriptedSteps
        let access: Mutex<String?>

        init(_ base: ScriptedSteps, _ access: String?) {
            self.base = base
            self.access = Mutex(access)
        }

        func download(_ job: DownloadJob) async { await base.download(job) }
        func resolve(_ text: String) -> Source { Source(text, host: "a", accessKey: access.withLock(\.self)) }
    }

    @Test("a URL with access has another identity for each key, and the ignored parts of its query don't count")
    func identities() {
        let rules = [SourceRule(match: "https://a/*", ignoredQuery: ["token"])]
        let identities = [nil, "one", "two"].map { key in
            SourceResolver(rules: rules) { Source($0, host: "a", accessKey: key) }
        }
        let sources = identities.map { $0.source(of: "https://a/b.jpg?token=1").identity }
        #expect(Set(sources).count == 3 && sources[0] == "https://a/b.jpg")
        #expect(identities.map { $0.source(of: "https://a/b.jpg?token=2").identity } == sources)
    }

    @Test("a finished attachment is reused under the same key, and under no other")
    func reuse() async throws {
        let time = TestTime()
        let scripted = ScriptedSteps(time, ScriptedSteps.Script())
        let guarded = GuardedSteps(scripted, "one")
        var steps = scripted.steps
        steps.downloader = guarded
        let pipeline = AttachmentPipeline(steps: steps, time: time)
        for (key, downloads) in [("one", 1), ("one", 1), ("two", 2), ("one", 2), (nil, 3), (nil, 3)] {
            guarded.access.withLock { $0 = key }
            let request = SourceRequest(url: "https://a/1", profile: .apns, accepted: time.now)
            let result = await pipeline.process(request, deadline: time.now + .seconds(10))
            #expect(result.outcome == .complete)
            #expect(scripted.downloads.count == downloads, "\(key ?? "no key")")
        }
    }

    @Test("a source that is taken back is taken back under its key")
    func forgotten() async throws {
        let time = TestTime()
        let scripted = ScriptedSteps(time, ScriptedSteps.Script())
        let guarded = GuardedSteps(scripted, "one")
        var steps = scripted.steps
        steps.downloader = guarded
        let pipeline = AttachmentPipeline(steps: steps, time: time)
        let request = SourceRequest(url: "https://a/1", profile: .apns, accepted: time.now)
        _ = await pipeline.process(request, deadline: time.now + .seconds(10))
        #expect(await pipeline.forget(source: "https://a/1") == "one\nhttps://a/1")
        _ = await pipeline.process(request, deadline: time.now + .seconds(10))
        #expect(scripted.downloads.count == 2)
    }

    @Test(
        "a source that is taken back while its attachment is made is not delivered, and another one is",
        arguments: [("https://a/1", ProcessingResult.Outcome.original), ("https://a/2", .complete)]
    )
    func forgottenMeanwhile(source: String, outcome: ProcessingResult.Outcome) async throws {
        let (time, body) = (TestTime(), Signal())
        let steps = ScriptedSteps(time, ScriptedSteps.Script(body: body))
        let notifications = Notifications(time, steps)
        let task = try notifications.send("https://a/1")
        try await eventually { steps.downloads.count == 1 }
        _ = await notifications.pipeline.forget(source: source)
        body.send()
        #expect(await task.value.outcome == outcome)
    }
}
