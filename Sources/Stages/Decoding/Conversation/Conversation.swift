import Base
import DecoderWire
import Glibc
import Media
import Sandbox
import Synchronization

/// The exchange with one decoder process about one job, from the first message to the last.
final class Conversation: Sendable {
    typealias Outcome = Result<Void, AttachmentFailure>

    /// The most results of a job: a source's rungs, and the small JPEG for pages.
    static let outputCount = (Rung.ladders.map(\.count).max() ?? 0) + 1

    private struct Need {
        var range: Range<Int>
        var ahead: Int
    }

    private let child: DecoderChild
    private let job: ConversionJob
    private let outputs: [OutputFile]
    private let reservation: DecoderReservation
    private let messages: MessageStream<DecoderMessage>
    private let state: Mutex<ConversationState>
    private let forbiddenCall = Mutex<String?>(nil)

    /// Hands the job over. `hasResults` tells whether an earlier process has emitted a result. Returns `nil` if the
    /// process is gone.
    static func open(
        _ job: ConversionJob,
        with child: DecoderChild,
        _ reservation: DecoderReservation,
        watcher: any Readiness,
        hasResults: Bool,
    ) throws(AttachmentFailure) -> Conversation? {
        var outputs: [OutputFile] = []
        for _ in 0..<outputCount { outputs.append(try OutputFile(capacity: job.request.largestOutput)) }
        let source = try job.file.openReadOnly()
        defer { close(source) }
        let progress = job.file.contents.announced
        let message = WorkerMessage.transform(
            job.request,
            source: progress,
            outputs: outputCount,
            outputCapacity: job.request.largestOutput,
        )
        do throws(SystemError) {
            try child.line.send(message, descriptors: [source] + outputs.map(\.descriptor))
        } catch {
            return nil
        }
        return Conversation(
            child: child,
            job: job,
            outputs: outputs,
            reservation: reservation,
            progress: progress,
            watcher: watcher,
            hasResults: hasResults,
        )
    }

    private init(
        child: DecoderChild,
        job: ConversionJob,
        outputs: [OutputFile],
        reservation: DecoderReservation,
        progress: SourceProgress,
        watcher: any Readiness,
        hasResults: Bool,
    ) {
        self.child = child
        self.job = job
        self.outputs = outputs
        self.reservation = reservation
        messages = MessageStream(socket: child.line, watcher: watcher)
        let bounds = ConversationState.Bounds(
            outputs: outputs.count,
            outputBytes: job.request.largestOutput,
            limits: job.request.limits,
            hasResults: hasResults,
            hasDisabled: !job.request.disabled.isEmpty,
        )
        state = Mutex(ConversationState(source: progress, within: bounds))
    }

    /// A Boolean value that indicates whether the process has had the source, and may have died over it.
    var hasBegun: Bool { state.withLock(\.hasBegun) }

    /// The name of the forbidden system call that the process says it tried, if it does.
    var triedCall: String? { forbiddenCall.withLock(\.self) }

    /// Returns when the process is done, has failed, lied or died, or the task is cancelled.
    func run() async -> Outcome {
        let (needs, need) = AsyncStream.makeStream(of: Need.self, bufferingPolicy: .bufferingNewest(1))
        return await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.listen(need) }
            group.addTask { await self.answer(needs) }
            group.addTask { await self.sendEnd() }
            group.addTask { await self.sendWarning() }
            defer { group.cancelAll() }
            for await case let outcome? in group { return outcome }
            return .failure(Self.cancelled)
        }
    }

    private func listen(_ need: AsyncStream<Need>.Continuation) async -> Outcome {
        // A clip that lacks a part of its source is delivered, but is not all that there is to say.
        var shortfall: AttachmentFailure?
        do throws(PeerError) {
            while let received = try await messages.next() {
                switch state.withLock({ $0.receive(received.message) }) {
                case .await(let range, let ahead): need.yield(Need(range: range, ahead: ahead))
                case .nothing: break
                case .describe(let report, let memoryBytes):
                    job.onEvent(.described(report))
                    if let failure = await provide(memoryBytes) { return failure }
                case .check(let report, let output):
                    guard let accepted = OutputCheck.accepted(report, outputs[output], for: job.request) else {
                        return .failure(Self.falseReport)
                    }
                    shortfall = accepted.shortfall
                    // A clip is only ever shortened to be in time.
                    if report.rung == .shortened, report.format.kind != .image { job.deadline.recordCutback() }
                    job.onEvent(.output(accepted.rung))
                case .checkThumbnail(let byteCount, let output):
                    guard let thumbnail = OutputCheck.acceptedThumbnail(byteCount, outputs[output], for: job.request)
                    else { return .failure(Self.falseReport) }
                    job.onEvent(.thumbnail(thumbnail))
                case .finish: return shortfall.map { .failure($0) } ?? .success(())
                case .fail(let failure): return .failure(failure)
                case .endForbidden(let number):
                    forbiddenCall.withLock { $0 = SystemCallName.name(of: number) }
                    return .failure(Self.died)
                }
            }
        } catch {
            return .failure(Self.garbage)
        }
        return .failure(Task.isCancelled ? Self.cancelled : Self.died)
    }

    private func answer(_ needs: AsyncStream<Need>) async -> Outcome? {
        for await need in needs {
            let start = need.range.lowerBound
            job.file.want(start..<need.range.upperBound + need.ahead)
            guard let contents = await contents(with: need.range) else { return nil }
            if contents.ending != nil {
                if let failure = sendEnd(contents, asAnswer: true) { return failure }
                continue
            }
            let range = contents.present.range(at: start) ?? start..<start
            guard state.withLock({ $0.recordBytes(range, size: contents.size) }) else { continue }
            if let failure = send(.have(range, size: contents.size)) { return failure }
        }
        return nil
    }

    /// Grants the memory that the source needs, and lets the process go on. Other jobs may have to end first.
    ///
    /// A large amount is granted only when the process can use it: a header that claims millions of pixels holds no
    /// memory before the bytes behind it have come.
    private func provide(_ memoryBytes: Int) async -> Outcome? {
        let isWorthIt: @Sendable (SourceContents) -> Bool = { $0.isWorth(memoryBytes) }
        if !isWorthIt(job.file.contents) {
            reservation.pause()
            _ = await job.file.contents(isWorthIt)
            guard !Task.isCancelled else { return nil }
        }
        do throws(AttachmentFailure) {
            try await reservation.resume(adding: memoryBytes)
        } catch {
            return .failure(error)
        }
        state.withLock { $0.recordMemory() }
        return send(.proceed)
    }

    /// Returns the contents once `range` is in the source, or the source has ended. Meanwhile other jobs may compute.
    /// Returns `nil` when the task is cancelled.
    private func contents(with range: Range<Int>) async -> SourceContents? {
        let isEnough: @Sendable (SourceContents) -> Bool = { $0.has(range) || $0.ending != nil }
        let contents = job.file.contents
        if isEnough(contents) { return contents }
        reservation.pause()
        let later = await job.file.contents(isEnough)
        guard !Task.isCancelled, (try? await reservation.resume()) != nil else { return nil }
        return later
    }

    private func sendEnd() async -> Outcome? {
        let contents = await job.file.contents { $0.ending != nil }
        return contents.ending == nil ? nil : sendEnd(contents)
    }

    private func sendEnd(_ contents: SourceContents, asAnswer: Bool = false) -> Outcome? {
        state.withLock { $0.recordEnd(asAnswer: asAnswer) } ? send(.endsHere(contents.announced)) : nil
    }

    private func sendWarning() async -> Outcome? {
        guard await job.deadline.warned() else { return nil }
        state.withLock { $0.recordWarning() }
        return send(.timeWillExpire)
    }

    /// Sends a message. If that fails, the process is gone, which `listen` notices too, or it does not read.
    private func send(_ message: WorkerMessage) -> Outcome? {
        do throws(SystemError) {
            try child.line.send(message)
            return nil
        } catch {
            return error.code == EAGAIN ? .failure(Self.garbage) : nil
        }
    }

    static let cancelled = AttachmentFailure(.decode, .cancelled, "The conversion was cancelled.")
    static let died = AttachmentFailure(
        .decode,
        .decoderDied,
        "The source crashed its decoder process. Other sources have processes of their own.",
    )
    static func died(trying call: String) -> AttachmentFailure {
        let message =
            "The source made its decoder process try the forbidden system call \(call), which ended the process."
        return AttachmentFailure(.decode, .decoderDied, message)
    }
    private static let falseReport = AttachmentFailure(
        .decode,
        .decoderLied,
        "The decoder process delivered an output that differs from its report or from the profile.",
    )
    private static let garbage = AttachmentFailure(
        .decode,
        .decoderLied,
        "The decoder process broke its protocol. It sent invalid data, or did not read the worker's messages.",
    )
}

extension SourceContents {
    /// The number of bytes of memory that is granted without a look at the source.
    private static let freeBytes = 33_554_432
    /// The most memory, in bytes, for each byte of the source that is there while more are to come.
    private static let memoryPerByte = 256

    /// Returns whether enough of the source is there to decode it in `memoryBytes`: every wanted byte, or a
    /// proportionate part.
    fileprivate func isWorth(_ memoryBytes: Int) -> Bool {
        memoryBytes <= Self.freeBytes || ending != nil || missing == nil
            || present.count >= memoryBytes / Self.memoryPerByte
    }

    /// The progress as a decoder process hears of it.
    fileprivate var announced: SourceProgress {
        let isCut = if case .cut = ending { true } else { false }
        return SourceProgress(present: present, size: size, isEnded: ending != nil, isCut: isCut)
    }
}

// MARK: - Emitted rungs

/// The rungs of a job that were emitted so far, by any process.
final class EmittedRungs: Sendable {
    private let state = Mutex<Set<Rung>>([])

    var rungs: Set<Rung> { state.withLock(\.self) }

    func insert(_ rung: Rung) { state.withLock { _ = $0.insert(rung) } }
}

extension ConversionJob {
    /// Returns the same job, which records its outputs in `emitted`.
    func recording(in emitted: EmittedRungs) -> ConversionJob {
        var job = self
        job.onEvent = { [onEvent] event in
            if case .output(let output) = event { emitted.insert(output.report.rung) }
            onEvent(event)
        }
        return job
    }

    /// Returns the same job with only the rungs that are worth trying now. Throws if the time left is too short for
    /// any.
    func limitedToWorthwhileRungs() throws(AttachmentFailure) -> ConversionJob {
        guard let rungs = worthwhileRungs?() else { return self }
        guard !rungs.isEmpty else {
            throw AttachmentFailure(
                .decode,
                .timedOut,
                "When a decoder was free, too little time was left. Raise the deadline, or add decoders.",
            )
        }
        var job = self
        job.request.rungs = rungs
        return job
    }

    /// Returns the same job for another process, without the rungs in `emitted` and all worse ones.
    func without(_ emitted: EmittedRungs) -> ConversionJob {
        guard let best = emitted.rungs.max(by: { $0.position < $1.position }) else { return self }
        var job = self
        job.request.rungs = request.rungs.filter { $0.position > best.position }
        return job
    }
}
