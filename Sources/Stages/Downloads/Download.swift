import HTTPClient
import Media
import Timing

/// One download: a request for all of the source or for its beginning. If the origin answers ranges, further requests
/// fetch the ranges that the reader wants.
struct Download {
    let limiter: OriginLimiter
    let client: HTTPClient
    private let settings: DownloadSettings
    /// The deadline of the callers that wait now.
    let deadline: Deadline
    /// The end of the last request, however far the deadline moves away.
    let end: Instant
    /// The file that receives the source's bytes.
    private let file: MediaFile
    /// The next request. Its URL is that of the latest one.
    private var request: HTTPRequest
    /// The rule with whose access the request is made, or `nil` for none.
    private var rule: AccessRule?
    /// The requested range; `nil` asks for all, in order.
    private var range: Range<Int>?
    /// The version of the parts that are there already.
    private var version: SourceVersion?
    /// The validators of the version that is known already.
    private let known: SourceValidators?
    private let heads: SourceHeads
    /// Called with the name of a rule and the status with which an origin refused its access.
    private let onRefusedAccess: @Sendable (String, Int) -> Void
    private(set) var report: DownloadReport

    init(
        _ job: DownloadJob,
        of target: SourceTarget,
        _ settings: DownloadSettings,
        _ limiter: OriginLimiter,
        _ client: HTTPClient,
        until end: Instant,
        onRefusedAccess: @escaping @Sendable (String, Int) -> Void,
    ) {
        self.onRefusedAccess = onRefusedAccess
        self.limiter = limiter
        self.client = client
        self.settings = settings
        self.end = end
        deadline = job.deadline
        known = job.known
        heads = SourceHeads(time: client.time, onEvent: job.onEvent)
        file = job.file
        request = HTTPRequest(url: target.url, askedHost: target.askedHost)
        if target.rule?.access != nil { rule = target.rule }
        report = DownloadReport(url: target.url.text)
    }

    /// Downloads until the source is there, no reader wants more of it, or something went wrong: the report then has
    /// the reason.
    ///
    /// `expectsClip` is for a likely video or sound, of which a part may be enough.
    mutating func run(expectsClip: Bool) async {
        var version: SourceVersion?
        do throws(AttachmentFailure) {
            if expectsClip { range = 0..<settings.ranges.firstByteCount }
            var first = try await ask()
            if first.isRangeRefused {
                range = nil
                first = try await ask()
            }
            version = first.version
            report.isUnchanged = first.isUnchanged
            if first.isUnchanged { report.failure = request.unchanged() }
        } catch {
            return report.failure = error
        }
        if let version { report.failure = await fetchParts(of: version) }
    }

    /// Fetches the ranges that the reader wants, until it has all of them or wants no more. Returns the reason if that
    /// fails.
    private mutating func fetchParts(of version: SourceVersion) async -> AttachmentFailure? {
        self.version = version
        file.setSize(version.size)
        var readAhead = ReadAhead(settings.ranges)
        var hasFailed = false
        for _ in 0..<settings.ranges.requestLimit {
            guard !file.contents.isComplete else { return nil }
            guard let missing = await file.missing() else { return request.cancelled() }
            let contents = file.contents
            let block = readAhead.block(for: missing, in: contents)
            guard block.count <= file.byteLimit - contents.present.count else { return request.tooLarge(file) }
            range = block
            do throws(AttachmentFailure) {
                _ = try await ask()
                hasFailed = false
            } catch {
                // The bytes so far are kept. One more request fetches the rest.
                guard error.leavesARest, !hasFailed else { return error }
                hasFailed = true
            }
        }
        return file.contents.isComplete ? nil : request.tooManyRanges(limit: settings.ranges.requestLimit)
    }

    /// Makes the request, and those that redirects lead to.
    private mutating func ask() async throws(AttachmentFailure) -> SourceBody.Verdict {
        for _ in 0...settings.redirectLimit {
            report.url = request.url.text
            let (result, verdict) = try await fetchWithMemory()
            report.requestCount += result.requestCount
            report.status = result.status
            report.contentType = result.contentType.flatMap(DeclaredType.essence)
            report.fetchedByteCount += result.fetchedByteCount
            if let rule, let status = result.status, [400, 401, 403].contains(status) {
                onRefusedAccess(rule.name, status)
            }
            if let failure = result.failure { throw failure }
            guard let location = result.location else { return verdict }
            request.isRedirected = true
            do throws(DownloadURL.ParseError) {
                request.url = try request.url.resolving(location)
            } catch {
                throw error.failure(redirectedBy: request.askedHost)
            }
            // A redirect out of the rule's place ends its access, and none gives access (SECURITY N12).
            if rule?.isFor(request.url) == false { rule = nil }
        }
        throw request.tooManyRedirects(limit: settings.redirectLimit)
    }

    /// Makes the request, again and again if the source loses its memory to more urgent ones. That is nobody's fault.
    private mutating func fetchWithMemory() async throws(AttachmentFailure) -> Answer {
        while true {
            let answer = try await fetch(question, with: rule)
            guard answer.verdict.hasLostMemory else { return answer }
            report.requestCount += answer.result.requestCount
            report.fetchedByteCount += answer.result.fetchedByteCount
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
        question.known = version == nil && known?.redirectedTo == target ? known : nil
        question.onHead = { [heads, known = question.known] head in
            // A temporary failure says nothing about the source.
            guard head.status != 429, head.status < 500 else { return }
            heads.record(head, asked: asked, redirectedTo: target, unless: known)
        }
        return question
    }
}

extension AttachmentFailure {
    /// A Boolean value that indicates whether the failure came in the middle of a part, whose rest is worth another
    /// request.
    fileprivate var leavesARest: Bool { reason == .truncated || reason == .stalled }
}
