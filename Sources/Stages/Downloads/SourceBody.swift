import HTTPClient
import Media
import Synchronization

/// The body of one answer of an origin: the source, a part of it, or nothing of use. Its bytes go into the source's file.
final class SourceBody: AnswerReceiver {
    /// The request, in the words of a download.
    struct Question: Sendable {
        var request: HTTPRequest
        var file: MediaFile
        var ranges: RangeRule
        /// The requested range; `nil` asks for all, in order.
        var range: Range<Int>?
        /// The version of the parts that are there already; `nil` for the first.
        var version: SourceVersion?
        /// The known version. The source is sent only if it is another one.
        var known: SourceValidators?
        /// Receives the answer's head, before any byte of its body is in the file.
        var onHead: @Sendable (AnswerHead) -> Void = { _ in }
    }

    /// The kind of body, once the head is known.
    private enum Kind {
        /// The whole source. If there is a version, ranges are available too.
        case whole(SourceVersion?)
        case part(Range<Int>, SourceVersion)
        /// A body without use.
        case other
    }

    private struct State {
        var kind: Kind?
        var head: AnswerHead?
        var byteCount = 0
        /// The length of the body, if the head declares it.
        var declaredByteCount: Int?
        /// A Boolean value that indicates whether the file lost its bytes, so that the request must be made again.
        var hasLostMemory = false
        /// A Boolean value that indicates whether the transfer was given up for range requests.
        var turnsToParts = false
        var isRangeRefused = false
        /// The body if it must be decoded, and the number of its bytes so far.
        var coded: CodedBody?
        var codedByteCount = 0
        /// The decoding, which runs beside the transfer.
        var decoding: Task<Void, Never>?
        /// A Boolean value that indicates whether the source is there although its body goes on.
        var isFinished = false
        /// A Boolean value that indicates whether the transfer is over.
        var isClosed = false
        /// The reason why the body cannot be decoded.
        var failure: AttachmentFailure?
        /// Has the loop look at the transfer.
        var onChange: (@Sendable () -> Void)?
    }

    /// The bytes by which a body may be larger than the source in it.
    private static let formByteLimit = 65_536

    private let question: Question
    private let state = Mutex(State())

    init(_ question: Question) { self.question = question }

    private var file: MediaFile { question.file }
    private var request: HTTPRequest { question.request }

    // MARK: - The reader's wishes

    var isOver: Bool { file.contents.ending != nil }
    var hasWishes: Bool { true }

    /// Calls `onChange` each time that the reader wants another range, or that the file got or lost memory, until it has ended.
    func observeWishes(_ onChange: @escaping @Sendable () -> Void) async {
        state.withLock { $0.onChange = onChange }
        var seen = file.contents
        // The transfer may have paused and got memory before this task began.
        onChange()
        while !Task.isCancelled, seen.ending == nil {
            seen = await file.contents { [seen] in
                $0.wanted != seen.wanted || $0.roomCount != seen.roomCount || $0.hasLostBytes != seen.hasLostBytes
                    || $0.ending != nil
            }
            onChange()
        }
    }

    func resumption() -> Reception {
        let contents = file.contents
        if contents.hasLostBytes { return loseMemory() }
        return state.withLock { state in
            if state.isFinished || state.failure != nil { return .stopped(state.failure) }
            if state.coded?.isFull == true { return .paused }
            guard case .whole(let version?) = state.kind, turns(to: version, contents, &state) else { return .taken }
            return .stopped(nil)
        }
    }

    private func loseMemory() -> Reception {
        state.withLock { $0.hasLostMemory = true }
        return .stopped(nil)
    }

    // MARK: - The answer

    func reads(status: Int) -> Bool { status == 200 || status == 206 }

    func receive(_ head: AnswerHead) -> Reception {
        question.onHead(head)
        let kind: Kind
        do throws(AttachmentFailure) {
            kind = try judged(head)
            if case .whole = kind, let decoder = try decoder(of: head) {
                begin(decoder, head)
                return .taken
            }
        } catch {
            return .stopped(error)
        }
        let length: Int?
        switch kind {
        case .part(let range, let version):
            file.setSize(version.size)
            length = range.count
        case .whole: length = head.contentLength
        case .other:
            state.withLock { ($0.kind, $0.head) = (kind, head) }
            return .stopped(nil)
        }
        state.withLock { ($0.kind, $0.head, $0.declaredByteCount) = (kind, head, length) }
        return announce(length, kind, head)
    }

    /// Reserves the memory for a body of known length. Of video and sound the whole is seldom needed, and a type that says
    /// nothing may be one of them: neither is refused for its length.
    private func announce(_ length: Int?, _ kind: Kind, _ head: AnswerHead) -> Reception {
        guard let length else { return .taken }
        if case .whole = kind, head.declaresClip { return .taken }
        do throws(AttachmentFailure) {
            try file.announce(length)
        } catch {
            if head.declaresPicture { return .stopped(error) }
        }
        return .taken
    }

    private func judged(_ head: AnswerHead) throws(AttachmentFailure) -> Kind {
        guard !head.isRedirect else { return .other }
        guard let asked = question.range, [200, 206, 416].contains(head.status) else {
            return head.status == 200 && question.range == nil ? .whole(head.offeredVersion) : .other
        }
        switch RangeAnswer(head, asked: asked, version: question.version) {
        case .part(let range, let version): return .part(range, version)
        case .whole: return .whole(nil)
        case .refused:
            state.withLock { $0.isRangeRefused = true }
            return .other
        case .changed: throw request.sourceChanged()
        case .lie(let lie): throw request.lied(lie)
        }
    }

    private func decoder(of head: AnswerHead) throws(AttachmentFailure) -> (@Sendable () -> any BodyDecoder)? {
        do throws(ContentCoding.UnknownCoding) {
            if let coding = try ContentCoding(head) { return { ContentDecoder(coding) } }
            if FirstPartDecoder.isNeeded(for: head) { return { FirstPartDecoder() } }
            return nil
        } catch {
            throw request.lied(error.words)
        }
    }

    /// Begins to decode the body of a whole source.
    private func begin(_ decoder: @escaping @Sendable () -> any BodyDecoder, _ head: AnswerHead) {
        let coded = CodedBody(decoder)
        state.withLock { state in
            (state.kind, state.head, state.coded) = (.whole(nil), head, coded)
            guard !state.isClosed else { return }
            state.decoding = Task.detached {
                guard await !coded.decode(for: self) else { return }
                _ = self.fail(self.request.cancelled())
            }
        }
    }

    func makeRoom(for byteCount: Int) -> Reception {
        if let coded = state.withLock(\.coded) { return coded.isFull ? .paused : .taken }
        let contents = file.contents
        let reception = reception(for: contents)
        guard reception == .taken else { return reception }
        let declared = state.withLock { state in state.declaredByteCount.map { $0 - state.byteCount } }
        // The connection stays, and others may use the permit, until there is memory.
        guard !file.makeRoom(for: max(1, min(byteCount, declared ?? byteCount))) else { return .taken }
        let later = file.contents
        if later.ending != nil { return .stopped(request.cancelled()) }
        return later.hasLostBytes ? loseMemory() : .paused
    }

    /// Returns whether the reader wants the next bytes in this way.
    private func reception(for contents: SourceContents) -> Reception {
        state.withLock { state in
            guard case .whole(let version) = state.kind else { return .taken }
            if let version, turns(to: version, contents, &state) { return .stopped(nil) }
            // In order, all bytes before the wanted range would have to be kept too.
            guard contents.wanted.lowerBound < file.byteLimit else { return .stopped(request.tooLarge(file)) }
            // The wanted range may reach up to the last number.
            let isAhead = state.byteCount - question.ranges.windowByteCount >= contents.wanted.upperBound
            return isAhead ? .paused : .taken
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let coded = state.withLock { state in
            state.codedByteCount += state.coded == nil ? 0 : bytes.count
            return state.coded.map { ($0, state.codedByteCount) }
        }
        guard let (body, byteCount) = coded else { return unsafe write(bytes) }
        if state.withLock(\.isFinished) { return .stopped(nil) }
        // The form itself takes some bytes, too.
        guard byteCount <= file.byteLimit + Self.formByteLimit else { return .stopped(request.tooLarge(file)) }
        unsafe body.add(bytes)
        return .taken
    }

    /// Writes the next bytes of the source, or of the part.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let (kind, count) = state.withLock { ($0.kind, $0.byteCount) }
        let offset: Int
        switch kind {
        case .part(let range, _):
            offset = range.lowerBound + count
            guard offset + bytes.count <= range.upperBound else { return .stopped(request.lied(.otherLength)) }
        case .whole: offset = count
        case .other, nil: return .stopped(nil)
        }
        // The bytes of an earlier answer that was cut off stay as they are.
        let skipped = min(bytes.count, max(0, file.progress.byteCount - offset))
        do throws(AttachmentFailure) {
            guard try unsafe file.write(.init(rebasing: bytes[skipped...]), at: offset + skipped) else {
                return file.contents.hasLostBytes ? loseMemory() : .stopped(request.cancelled())
            }
        } catch {
            return .stopped(error)
        }
        let contents = file.contents
        return state.withLock { state in
            state.byteCount += bytes.count
            guard case .whole(let version?) = state.kind, turns(to: version, contents, &state) else { return .taken }
            return .stopped(nil)
        }
    }

    /// Returns whether range requests fetch the rest of a source better: it is most likely a long clip, or the wanted
    /// range is far ahead.
    private func turns(to version: SourceVersion, _ contents: SourceContents, _ state: inout State) -> Bool {
        let rule = question.ranges
        guard version.size > rule.jumpByteCount, contents.wanted.upperBound != .max else { return false }
        let isClip = state.byteCount >= rule.firstByteCount && state.head?.declaresClip == true
        state.turnsToParts = isClip || contents.wanted.lowerBound - state.byteCount > rule.jumpByteCount
        return state.turnsToParts
    }

    // MARK: - The result

    /// The meaning of an answer for the download.
    struct Verdict: Sendable {
        /// The version that further parts must have, where the origin answers ranges.
        var version: SourceVersion?
        /// A Boolean value that indicates whether the origin refused a requested range.
        var isRangeRefused = false
        /// A Boolean value that indicates whether the source is the known version.
        var isUnchanged = false
        /// A Boolean value that indicates whether others needed the memory of the source, so that it must be fetched again.
        var hasLostMemory = false
        /// The values of the answer's `Set-Cookie` fields.
        var cookies: [String] = []
    }

    /// Waits until all that came of a body is decoded. Others may have the permit of the request meanwhile.
    func finish() async {
        let (coded, decoding) = state.withLock { state in
            state.isClosed = true
            return (state.coded, state.decoding)
        }
        guard let coded, let decoding else { return }
        request.permit?.suspend()
        coded.end()
        await withTaskCancellationHandler {
            await decoding.value
        } onCancel: {
            decoding.cancel()
        }
    }

    /// Judges the answer as a whole. Corrects the result's failure, which knows only the transfer.
    func verdict(on result: inout HTTPResult) -> Verdict {
        let state = state.withLock(\.self)
        var verdict = Verdict()
        verdict.cookies = state.head?.cookies ?? []
        verdict.isRangeRefused = state.isRangeRefused && !result.wasStopped
        verdict.isUnchanged = result.status == 304 && question.known != nil && !result.wasStopped
        switch state.kind {
        case .part(_, let version): verdict.version = version
        case .whole(let version): verdict.version = state.turnsToParts ? version : nil
        case .other, nil: break
        }
        let contents = file.contents
        verdict.hasLostMemory = (state.hasLostMemory || contents.hasLostBytes) && contents.ending == nil
        let isFinished = state.isFinished && state.byteCount > 0
        if isFinished || verdict.hasLostMemory || state.turnsToParts || verdict.isRangeRefused || verdict.isUnchanged {
            result.failure = nil
        } else if !result.wasStopped, !result.isHeld {
            // After a redirect only failures that the client or this body found count.
            result.failure = result.location == nil ? failure(after: result, state) : nil
        }
        return verdict
    }

    private func failure(after result: HTTPResult, _ state: State) -> AttachmentFailure? {
        if let status = result.status, status != 200, status != 206 || question.range == nil {
            return request.unexpectedStatus(status)
        }
        if state.isFinished { return request.empty() }
        if let failure = result.failure ?? state.failure { return failure }
        if case .part(let range, _) = state.kind, state.byteCount < range.count { return request.truncated() }
        return state.byteCount > 0 ? nil : request.empty()
    }
}

// MARK: - Coded bodies

extension SourceBody: DecodedBytesReceiver {
    func hasRoom(for byteCount: Int) async -> Bool {
        while !Task.isCancelled {
            let seen = file.contents
            guard seen.ending == nil, !seen.hasLostBytes else { return false }
            guard byteCount > 0 else { return true }
            switch reception(for: seen) {
            case .stopped(let failure): return fail(failure ?? request.cancelled())
            case .taken where file.makeRoom(for: byteCount): return true
            case .taken, .paused: break
            }
            _ = await file.contents {
                $0.wanted != seen.wanted || $0.roomCount != seen.roomCount || $0.hasLostBytes || $0.ending != nil
            }
        }
        return false
    }

    func store(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        let reception = unsafe bytes.withUnsafeBytes { unsafe write($0) }
        guard case .stopped(let failure) = reception else { return true }
        return fail(failure ?? request.cancelled())
    }

    func fail(_ words: String) { _ = fail(request.lied(words)) }

    func finishEarly() {
        state.withLock { $0.isFinished = true }
        goOn()
    }

    func goOn() { state.withLock(\.onChange)?() }

    private func fail(_ failure: AttachmentFailure) -> Bool {
        state.withLock { $0.failure = $0.failure ?? failure }
        goOn()
        return false
    }
}

// MARK: - Failures in words

extension HTTPRequest {
    func lied(_ lie: RangeAnswer.Lie) -> AttachmentFailure { lied(lie.rawValue) }

    func sourceChanged() -> AttachmentFailure {
        failure(.sourceChanged, "The source at \(origin) changed during the download.")
    }

    func tooManyRanges(limit: Int) -> AttachmentFailure {
        failure(.resourceLimit, "The source at \(origin) needs more than \(limit) range requests.")
    }

    func tooLarge(_ file: MediaFile) -> AttachmentFailure {
        failure(.tooLarge, "The source at \(origin) needs more than \(file.byteLimit) bytes. Send a smaller file.")
    }

    func tooManyRedirects(limit: Int) -> AttachmentFailure {
        failure(.tooManyRedirects, "\(askedHost) redirects more than \(limit) times.")
    }

    func redirectedInCircle() -> AttachmentFailure {
        failure(.tooManyRedirects, "\(askedHost) redirects in a circle: the site demands a cookie or a login.")
    }

    func unchanged() -> AttachmentFailure {
        failure(.cancelled, "The source at \(origin) has not changed and was not downloaded again.")
    }

    func empty() -> AttachmentFailure { failure(.empty, "\(origin) sent an empty body.") }
}
