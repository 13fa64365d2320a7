import DecoderWire
import Glibc
import Media
import Sandbox
import Synchronization

/// One job given to one decoder process, from the first message to the last.
final class Conversation: Sendable {
    typealias Outcome = Result<Void, AttachmentFailure>

    /// A job has at most so many results: thumbnail, fast picture, full picture, and one more.
    static let outputCount = 4

    private let child: DecoderChild
    private let job: ConversionJob
    private let outputs: [OutputFile]
    private let messages: MessageStream<DecoderMessage>
    private let state: Mutex<ConversationState>

    /// Hands the job over. `nil` if the process is gone: it never had the source, so another one may try.
    static func open(_ job: ConversionJob, with child: DecoderChild, watcher: ReadinessWatcher)
        throws(AttachmentFailure) -> Conversation?
    {
        var outputs: [OutputFile] = []
        for _ in 0..<outputCount { outputs.append(try OutputFile(capacity: job.outputCapacity)) }
        let source = try job.file.openReadOnly()
        defer { close(source) }
        let progress = job.file.progress.told
        let message = WorkerMessage.transform(
            job.request,
            source: progress,
            outputs: outputCount,
            outputCapacity: job.outputCapacity,
        )
        do throws(SystemError) {
            try child.line.send(message, descriptors: [source] + outputs.map(\.descriptor))
        } catch {
            return nil
        }
        return Conversation(child: child, job: job, outputs: outputs, progress: progress, watcher: watcher)
    }

    private init(
        child: DecoderChild,
        job: ConversionJob,
        outputs: [OutputFile],
        progress: SourceProgress,
        watcher: ReadinessWatcher,
    ) {
        self.child = child
        self.job = job
        self.outputs = outputs
        messages = MessageStream(socket: child.line, watcher: watcher)
        let state = ConversationState(source: progress, outputCount: outputs.count, outputCapacity: job.outputCapacity)
        self.state = Mutex(state)
    }

    /// Returns when the process is done, has failed, lied or died, or the task is cancelled.
    func run() async -> Outcome {
        let (needs, need) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        return await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.listen(need) }
            group.addTask { await self.answer(needs) }
            group.addTask { await self.tellEnd() }
            group.addTask { await self.tellExpiry() }
            defer { group.cancelAll() }
            for await case let outcome? in group { return outcome }
            return .failure(Self.cancelled)
        }
    }

    private func listen(_ need: AsyncStream<Int>.Continuation) async -> Outcome {
        do throws(PeerError) {
            while let received = try await messages.next() {
                switch state.withLock({ $0.hear(received.message) }) {
                case .await(let byteCount): need.yield(byteCount)
                case .nothing: break
                case .describe(let report): job.describe(report)
                case .check(let report, let output):
                    guard let rung = OutputCheck.accepted(report, outputs[output], for: job.request) else {
                        return .failure(Self.falseReport)
                    }
                    job.publish(rung)
                case .finish: return .success(())
                case .fail(let failure): return .failure(failure)
                }
            }
        } catch {
            return .failure(Self.garbage)
        }
        return .failure(Task.isCancelled ? Self.cancelled : Self.died)
    }

    private func answer(_ needs: AsyncStream<Int>) async -> Outcome? {
        for await byteCount in needs {
            let progress = await job.file.progress(reaching: byteCount).told
            // The end is told by `tellEnd`.
            guard !progress.isEnded, !Task.isCancelled else { continue }
            guard state.withLock({ $0.tell(byteCount: progress.byteCount) }) else { continue }
            if let failure = send(.have(byteCount: progress.byteCount)) { return failure }
        }
        return nil
    }

    private func tellEnd() async -> Outcome? {
        let progress = await job.file.progress(reaching: Int.max).told
        guard progress.isEnded, state.withLock({ $0.tellEnd() }) else { return nil }
        return send(.endsHere(byteCount: progress.byteCount, isWhole: !progress.isCut))
    }

    private func tellExpiry() async -> Outcome? {
        guard await job.expiry.wait() else { return nil }
        state.withLock { $0.tellExpiry() }
        return send(.timeWillExpire)
    }

    /// A process that can't be told anything is gone, which `listen` finds too, or doesn't listen.
    private func send(_ message: WorkerMessage) -> Outcome? {
        do throws(SystemError) {
            try child.line.send(message)
            return nil
        } catch {
            return error.code == EAGAIN ? .failure(Self.garbage) : nil
        }
    }

    static let cancelled = AttachmentFailure(.decode, .cancelled, "The conversion was cancelled.")
    private static let died = AttachmentFailure(
        .decode,
        .decoderDied,
        "The decoder process died over this source. The next one is decoded by another process.",
    )
    private static let falseReport = AttachmentFailure(
        .decode,
        .decoderLied,
        "The decoder process delivered something else than it said, or than the profile allows.",
    )
    private static let garbage = AttachmentFailure(
        .decode,
        .decoderLied,
        "The decoder process broke its protocol. It sent what is no message, or read none of ours.",
    )
}

extension MediaFile.Progress {
    /// What a decoder process is told of it.
    fileprivate var told: SourceProgress {
        switch ending {
        case nil: SourceProgress(byteCount: byteCount)
        case .whole: SourceProgress(byteCount: byteCount, isEnded: true)
        case .cut: SourceProgress(byteCount: byteCount, isEnded: true, isCut: true)
        }
    }
}
