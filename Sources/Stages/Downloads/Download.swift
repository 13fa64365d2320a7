import Base
import HTTPClient
import Media

/// One download: a request for all of the source or for its beginning. If the origin answers ranges, further requests
/// fetch the ranges that the reader wants.
struct Download {
    private let downloader: Downloader
    private let job: DownloadJob
    /// The end of the last request, however far the deadline moves away.
    private let end: Instant
    /// The next request. Its URL is that of the latest one.
    private var request: HTTPRequest
    /// The origin of the next request.
    private var origin: Origin
    /// The rule with whose access the request is made, or `nil` for none.
    private var rule: AccessRule?
    /// The requested range; `nil` asks for all, in order.
    private var range: Range<Int>?
    /// The version of the parts that are there already.
    private var version: SourceVersion?
    private let heads: SourceHeads
    /// The end of the time in which the origin may not have the source yet; `nil` if a missing source is a failure at once.
    private let awaited: Instant?
    private var cookies = CookieJar()
    /// The number of further requests that failed ones may lead to.
    private var repeatsLeft = 5

    init(_ job: DownloadJob, of target: SourceTarget, by downloader: Downloader) {
        self.downloader = downloader
        self.job = job
        let now = downloader.client.time.now
        end = now + job.timeLimit
        let rule = target.rule as? AccessRule
        awaited = rule?.awaitMissing.map { now + $0 }
        heads = SourceHeads(time: downloader.client.time, onEvent: job.onEvent)
        request = HTTPRequest(url: target.url, askedHost: target.host)
        origin = target.origin
        if rule?.access != nil { self.rule = rule }
    }

    private var client: HTTPClient { downloader.client }
    private var settings: DownloadSettings { downloader.settings }
    private var file: MediaFile { job.file }
    /// The time until which a request may begin for the callers that wait now.
    private var latest: Instant { min(end, job.deadline.latest) }

    /// Downloads until the source is there. Throws if no reader wants more of it, or something went wrong.
    ///
    /// `expectsClip` is for a likely video or sound, of which a part may be enough.
    mutating func run(expectsClip: Bool) async throws(AttachmentFailure) {
        if expectsClip { range = 0..<settings.ranges.firstByteCount }
        var first = try await ask()
        if first.isRangeRefused {
            range = nil
            repeatsLeft = max(0, repeatsLeft - 1)
            first = try await ask()
        }
        guard !first.isUnchanged else { throw request.unchanged() }
        if let version = first.version { try await fetchParts(of: version) }
    }

    /// Fetches the ranges that the reader wants, until it has all of them. Throws if it wants no more.
    private mutating func fetchParts(of version: SourceVersion) async throws(AttachmentFailure) {
        self.version = version
        file.setSize(version.size)
        var readAhead = ReadAhead(settings.ranges)
        var hasFailed = false
        for _ in 0..<settings.ranges.requestLimit {
            guard !file.contents.isComplete else { return }
            guard let missing = await file.missing() else { throw request.cancelled() }
            let contents = file.contents
            let block = readAhead.block(for: missing, in: contents)
            guard block.count <= file.byteLimit - contents.present.count else { throw request.tooLarge(file) }
            range = block
            repeatsLeft = 1
            do throws(AttachmentFailure) {
                _ = try await ask()
                hasFailed = false
            } catch {
                // The bytes so far are kept. One more request fetches the rest.
                guard error.leavesARest, !hasFailed else { throw error }
                hasFailed = true
            }
        }
        guard file.contents.isComplete else { throw request.tooManyRanges(limit: settings.ranges.requestLimit) }
    }

    /// Makes the request, and those that redirects lead to.
    private mutating func ask() async throws(AttachmentFailure) -> SourceBody.Verdict {
        var asked: Set<[String?]> = []
        for _ in 0...settings.redirectLimit {
            let sent = [request.url.text, cookies.field(for: request.url), rule?.name]
            let (result, verdict) = try await fetchWithMemory()
            cookies.store(verdict.cookies, from: request.url)
            if let rule, let status = result.status, [400, 401, 403].contains(status) {
                downloader.recorder.record(.refusedAccess(rule: rule.name, status: status))
            }
            if let failure = result.failure { throw failure }
            guard let location = result.location else { return verdict }
            guard asked.insert(sent).inserted else { throw request.redirectedInCircle() }
            request.isRedirected = true
            do throws(DownloadURL.ParseError) {
                request.url = try request.url.resolving(location)
            } catch {
                throw error.failure(redirectedBy: request.askedHost)
            }
            // A redirect out of the rule's place ends its access, and none gives access (SECURITY N12).
            // Cookies that were set for that access end with it.
            if rule?.isFor(request.url) == false { (rule, cookies) = (nil, CookieJar()) }
            origin = settings.origins.origin(of: request.url, access: rule?.key)
        }
        throw request.tooManyRedirects(limit: settings.redirectLimit)
    }

    /// Makes the request, and repeats it whenever the source loses its memory to more urgent sources. This does not count
    /// as a failure.
    private mutating func fetchWithMemory() async throws(AttachmentFailure) -> Answer {
        while true {
            let answer = try await fetch(question)
            guard answer.verdict.hasLostMemory else { return answer }
            await file.waitForRoom()
            guard file.contents.ending == nil, !Task.isCancelled else { throw request.cancelled() }
        }
    }

    /// The next request, and what its answer is for. Requests for parts belong to the version that is fetched now and have
    /// conditions of their own.
    private var question: SourceBody.Question {
        let target = request.isRedirected ? request.url.text : nil
        let asked = client.time.now
        var question = SourceBody.Question(request: request, file: file, ranges: settings.ranges)
        question.request.range = range
        (question.range, question.version) = (range, version)
        question.known = version == nil && job.known?.redirectedTo == target ? job.known : nil
        question.onHead = { [heads, known = question.known, isAwaited = awaited != nil] head in
            // A temporary failure says nothing about the source.
            guard head.status != 429, head.status < 500, !isAwaited || !head.isMissing else { return }
            heads.record(head, asked: asked, redirectedTo: target, unless: known)
        }
        return question
    }
}

// MARK: - Requests

// Each request waits until its origin may be asked, and some are retried.

extension Download {
    fileprivate typealias Answer = (result: HTTPResult, verdict: SourceBody.Verdict)

    /// Makes the request for a source. A request that failed before a byte came, and may succeed the next time, is
    /// retried while there is time until the deadline of the present callers.
    fileprivate mutating func fetch(_ question: SourceBody.Question) async throws(AttachmentFailure) -> Answer {
        var answer = try await fetchOnce(question)
        var pauses = RetryPauses()
        while file.contents.ending == nil, let pause = pause(after: answer.result, &pauses) {
            _ = await whileWanted { [time = client.time] () async in try? await time.sleep(for: pause) }
            do throws(AttachmentFailure) {
                answer = try await fetchOnce(question)
            } catch {
                // The retry was refused. The earlier failure says more.
                return answer
            }
        }
        return answer
    }

    /// Returns the pause before the request is made again, or `nil` if it is not.
    private mutating func pause(after result: HTTPResult, _ pauses: inout RetryPauses) -> Duration? {
        let (now, latest) = (client.time.now, latest)
        // An empty body does not count as a failure of the origin, so it uses up none of the origin's retries.
        if repeatsLeft > 0, let pause = pauses.next(after: result),
            result.failure?.reason == .empty
                ? now + pause < latest : downloader.limiter.mayRetry(origin, until: latest)
        {
            repeatsLeft -= 1
            return pause
        }
        let pause = Duration.seconds(1)
        guard let awaited, version == nil, let failure = result.failure, result.isMissing,
            now + pause < min(awaited, latest)
        else { return nil }
        job.onEvent(.missing(failure))
        return pause
    }

    private func fetchOnce(_ question: SourceBody.Question) async throws(AttachmentFailure) -> Answer {
        var question = question
        question.request = try prepared(question)
        // The host is resolved before there is a permit: a name whose server never answers holds none.
        let waiting = question.request
        let resolved = try await downloader.resolving.run(for: file) { () async throws(AttachmentFailure) in
            try await self.resolved(waiting)
        }
        if case .failure(let failure) = resolved, failure.reason == .timedOut {
            // A caller with a later deadline may still get it.
            job.deadline.recordCutback()
            throw failure
        }
        let permit = try await permit()
        switch resolved {
        case .success(let request): question.request = request
        case .failure(let failure):
            // It counts as a request, like one whose addresses are refused: callers must not tell the two apart (SECURITY N11).
            let result = HTTPResult(failure: failure)
            permit.leave(result.outcome(hadTime: true, isOver: false))
            return (result, SourceBody.Verdict())
        }
        let start = client.time.now
        question.request.permit = permit
        let body = SourceBody(question)
        var result = try await client.run(question.request, for: body, until: end)
        await body.finish()
        let verdict = body.verdict(on: &result)
        let hadTime = client.time.now - start >= settings.origins.fairTime
        permit.leave(result.outcome(hadTime: hadTime, isOver: file.isOver))
        return (result, verdict)
    }

    /// Returns the request with its header fields and the present secrets of its rule.
    private func prepared(_ question: SourceBody.Question) throws(AttachmentFailure) -> HTTPRequest {
        var request = question.request
        let credentials = try credentials()
        request.signature = credentials?.signature
        request.access = rule?.connectionAccess
        request.isConfidential = rule != nil
        // The encoding is requested here: libcurl's own option for that would also make libcurl undo the encodings that come.
        // libcurl would sign the field, so a signed request goes without. A range is a part of what is signed; libcurl's own
        // option for it is not.
        request.headerFields = credentials?.headerFields.map(\.revealed) ?? []
        if request.signature == nil {
            request.headerFields.append("Accept-Encoding: identity")
        } else if let range = question.range {
            request.headerFields.append("Range: bytes=\(range.headerText)")
        }
        if let validator = question.version?.validator { request.headerFields.append("If-Range: \(validator)") }
        request.headerFields += question.known?.headerFields ?? []
        // A rule's own cookie stays as it is.
        let hasCookie = request.headerFields.contains { $0.lowercased().hasPrefix("cookie:") }
        if request.signature == nil, !hasCookie, let field = cookies.field(for: request.url) {
            request.headerFields.append("Cookie: \(field)")
        }
        return request
    }

    /// Returns the request with the addresses of its host, or the reason why there are none. Throws if nobody waits any more.
    private func resolved(_ request: HTTPRequest) async throws(AttachmentFailure)
        -> Result<HTTPRequest, AttachmentFailure>
    {
        let resolved = await whileWanted { [client, latest] () async -> Result<HTTPRequest, AttachmentFailure> in
            do throws(AttachmentFailure) {
                return .success(try await client.resolved(request, until: latest))
            } catch {
                return .failure(error)
            }
        }
        guard let resolved else { throw request.cancelled() }
        return resolved
    }

    /// Returns the present secrets of the rule.
    private func credentials() throws(AttachmentFailure) -> RequestCredentials? {
        do throws(CredentialsError) {
            return try rule?.credentials
        } catch {
            var failure = AttachmentFailure(
                .download,
                .internalError,
                "The worker has no credentials for \(request.origin). Its log has the reason.",
            )
            failure.concealedCause = .init(host: request.askedHost, refusal: "\(error)")
            throw failure
        }
    }

    /// Waits for a permit, as long as a caller wants the source.
    private func permit() async throws(AttachmentFailure) -> OriginPermit {
        do throws(OriginLimitError) {
            let limiter = downloader.limiter
            let permit = try await whileWanted { [origin, latest] () async throws(OriginLimitError) in
                try await limiter.enter(origin, until: latest)
            }
            guard let permit else { throw .cancelled }
            return permit
        } catch {
            // A caller with a later deadline may still get it.
            if error.lacksTime { job.deadline.recordCutback() }
            throw error.failure(of: request.origin, at: client.time.now)
        }
    }

    /// Performs `work` as long as a caller wants the source. Returns `nil` as soon as no caller does.
    private func whileWanted<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        let outcome = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
            group.addTask {
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [file] in
                _ = await file.contents { $0.ending != nil }
                return nil
            }
            var outcome: Result<Value, Failure>?
            for await result in group {
                if let result { outcome = result }
                group.cancelAll()
            }
            return outcome
        }
        return try outcome?.get()
    }
}

extension AttachmentFailure {
    /// A Boolean value that indicates whether the failure came in the middle of a part, whose rest is worth another
    /// request.
    fileprivate var leavesARest: Bool { reason == .truncated || reason == .stalled }
}

extension MediaFile {
    /// A Boolean value that indicates whether the file was ended because time is over.
    fileprivate var isOver: Bool {
        if case .cut(let failure) = contents.ending { failure.reason == .timedOut } else { false }
    }
}

extension AnswerHead {
    /// A Boolean value that indicates whether the origin does not have the source, or not any more.
    fileprivate var isMissing: Bool { status == 404 || status == 410 }
}

extension HTTPResult {
    /// A Boolean value that indicates whether the origin may not have the source yet, or only a part of it.
    fileprivate var isMissing: Bool {
        [404, 410].contains(status) || failure?.reason == .empty || failure?.reason == .truncated
    }

    /// A Boolean value that indicates whether a retry may succeed: the connection was reset, or the origin reports a
    /// failure or overload.
    fileprivate var isWorthAnotherRequest: Bool {
        guard fetchedByteCount == 0 || failure?.reason == .httpStatus else { return false }
        return switch failure?.reason {
        case .connectionFailed: isConnected
        case .httpStatus: status == 429 || status.map { $0 >= 500 } ?? false
        default: false
        }
    }
}

/// The pauses before a request is made again.
private struct RetryPauses {
    private var backOff = BackOff()
    private var hasRetried = false
    /// A camera that wakes up answers with an empty body first.
    private var whileEmpty: ArraySlice<Duration> = [.milliseconds(500), .seconds(1), .seconds(2)]

    /// Returns the pause after a request with this result, or `nil` if it is not made again.
    mutating func next(after result: HTTPResult) -> Duration? {
        if result.failure?.reason == .empty { return whileEmpty.popFirst() }
        guard result.isWorthAnotherRequest, !hasRetried else { return nil }
        hasRetried = true
        return backOff.next()
    }
}

// MARK: - Reading ahead

/// The choice of the next range to request.
struct ReadAhead {
    private let rule: RangeRule
    /// The end of the last request, and the size of a request that continues from there.
    private var end = 0
    private var nextCount: Int

    init(_ rule: RangeRule) {
        self.rule = rule
        nextCount = rule.leastByteCount
    }

    /// Returns the range to request in order to fill the hole `missing`, without bytes that are there already.
    mutating func block(for missing: Range<Int>, in contents: SourceContents) -> Range<Int> {
        let block = guess(missing, contents)
        end = block.upperBound
        return block
    }

    private mutating func guess(_ missing: Range<Int>, _ contents: SourceContents) -> Range<Int> {
        let start = missing.lowerBound
        let size = contents.size ?? .max
        let goesOn = start == end || contents.present.range(at: max(0, start - 1))?.contains(max(0, end - 1)) == true
        nextCount = goesOn ? min(nextCount * 2, rule.mostByteCount) : rule.leastByteCount
        // A reader that wants more than one byte knows what it will read.
        guard contents.wanted.count == 1 else { return missing }
        let isTail = !goesOn && size - start <= rule.tailByteCount
        let last = isTail ? size : min(size, start + nextCount)
        return contents.present.firstGap(in: start..<last) ?? missing
    }
}
