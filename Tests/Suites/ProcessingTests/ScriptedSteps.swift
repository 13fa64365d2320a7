import Base
import Media
import Payloads
import Processing
import Support
import Synchronization

/// Pipeline steps that make a picture of any source, with one script for each download, and count their calls.
final class ScriptedSteps: Sendable {
    /// The script of one download.
    struct Script: Sendable {
        var status = 200
        /// The head's freshness; `nil` reports no head, as for a local file.
        var cacheControl: SourceFreshness.Answer? = .init(received: Instant(sinceOrigin: .zero))
        var validators: SourceValidators?
        var bytes = AttachmentPipelineTests.jpeg
        /// The signals to wait for before the head, and before the end of the body.
        var head: Signal?
        /// The signal until which the origin does not have the source.
        var missing: Signal?
        var body: Signal?
        var failure: AttachmentFailure.Reason?
        /// The rungs to emit before the body's end, and at its end.
        var early: [Rung] = []
        var rungs: [Rung] = [.downscaled]
        /// The rungs to emit for a truncated source.
        var rungsOfCut: [Rung] = []
    }

    struct Download: Sendable, Equatable {
        var url: String
        var known: SourceValidators?
    }

    private struct State {
        var scripts: [Script] = []
        var downloads: [Download] = []
        var running: [ObjectIdentifier: Script] = [:]
        var rungs: [Set<Rung>] = []
        var emitted = 0
        var stored = 0
        var gone: Set<String> = []
        var renewed = 0
        var cancelled = 0
    }

    private let time: TestTime
    private let renewsAtOnce: Bool
    private let state: Mutex<State>

    /// Creates the steps. The last script also serves all further downloads.
    init(_ time: TestTime, renewsAtOnce: Bool = false, _ scripts: Script...) {
        self.time = time
        self.renewsAtOnce = renewsAtOnce
        state = Mutex(State(scripts: scripts))
    }

    var downloads: [Download] { state.withLock(\.downloads) }
    /// The rungs that each conversion was asked for.
    var rungs: [Set<Rung>] { state.withLock(\.rungs) }
    /// The number of outputs that were reported.
    var emittedCount: Int { state.withLock(\.emitted) }
    var storedCount: Int { state.withLock(\.stored) }
    var renewedCount: Int { state.withLock(\.renewed) }
    var cancelledCount: Int { state.withLock(\.cancelled) }

    /// Removes the store's files.
    func sweep() { state.withLock { state in state.gone = Set((0...state.stored).map(String.init)) } }

    var steps: AttachmentPipeline.Steps { .init(downloader: self, converter: self, store: self) }
}

extension ScriptedSteps: AttachmentDownloading {
    func download(_ job: DownloadJob) async {
        let file = job.file
        let script = state.withLock { state in
            state.downloads.append(Download(url: job.source.text, known: job.known))
            let script = state.scripts.count > 1 ? state.scripts.removeFirst() : state.scripts[0]
            state.running[ObjectIdentifier(file)] = script
            return script
        }
        await script.head?.hang()
        if let missing = script.missing {
            job.onEvent(.missing(AttachmentFailure(.download, .httpStatus, "The test says so.")))
            await Self.wait(for: missing, unlessEnded: file)
        }
        if var answer = script.cacheControl {
            answer.received = time.now
            let freshness = SourceFreshness(answers: [answer])
            let head = SourceHead(status: script.status, freshness: freshness, validators: script.validators)
            job.onEvent(.head(head))
        }
        guard script.status == 200 else {
            let reason = script.failure ?? (script.status == 304 ? .cancelled : .httpStatus)
            return file.end(.cut(AttachmentFailure(.download, reason, "The test says so.")))
        }
        try? file.append(script.bytes)
        await withTaskGroup { group in
            group.addTask { await script.body?.hang() }
            group.addTask { [self] in
                _ = await file.contents { $0.ending != nil }
                guard script.body?.isSent == false else { return }
                state.withLock { $0.cancelled += 1 }
                script.body?.send()
            }
            await group.next()
            group.cancelAll()
        }
        file.end(script.failure.map { .cut(AttachmentFailure(.download, $0, "The test says so.")) } ?? .whole)
    }
}

extension ScriptedSteps {
    /// Waits for a signal, or for the end of the file.
    private static func wait(for signal: Signal, unlessEnded file: MediaFile) async {
        await withTaskGroup { group in
            group.addTask { await signal.hang() }
            group.addTask { _ = await file.contents { $0.ending != nil } }
            await group.next()
            group.cancelAll()
        }
    }
}

extension ScriptedSteps: AttachmentConverting {
    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        let script = state.withLock { state in
            state.rungs.append(job.worthwhileRungs?() ?? [])
            return state.running[ObjectIdentifier(job.file)] ?? state.scripts[0]
        }
        job.onEvent(.decoding(since: time.now))
        job.onEvent(.described(SourceReport(width: 4000, height: 3000, frames: 1)))
        for rung in script.early { if let ready = try? ReadyRung([1], rung) { job.onEvent(.output(ready)) } }
        let isWhole = await job.file.progress(reaching: .max).ending == .whole
        for rung in isWhole ? script.rungs : script.rungsOfCut {
            if let ready = try? ReadyRung([1, 2], rung) { job.onEvent(.output(ready)) }
            state.withLock { $0.emitted += 1 }
        }
        return .milliseconds(50)
    }
}

extension ScriptedSteps: AttachmentStoring {
    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        let number = state.withLock { state in
            state.stored += 1
            return state.stored
        }
        return StoredFile(identifier: "\(number)", url: "file:///store/\(number).jpg?1", sha256: "00")
    }

    func isForgotten(_ stored: StoredFile) -> Bool { state.withLock { $0.gone.contains(stored.identifier) } }

    func renew(_ stored: StoredFile) async -> StoredFile? { renewed(stored) }

    func renewAtOnce(_ stored: StoredFile) -> StoredFile? { renewsAtOnce ? renewed(stored) : nil }

    private func renewed(_ stored: StoredFile) -> StoredFile? {
        state.withLock { state in
            guard !state.gone.contains(stored.identifier) else { return nil }
            state.renewed += 1
            var stored = stored
            stored.url += "1"
            return stored
        }
    }
}
