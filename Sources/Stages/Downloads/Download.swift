import Media
import Timing

/// One download: a request for all of the source or for its beginning. If the origin answers ranges, further requests
/// fetch the ranges that the reader wants.
struct Download {
    let limiter: OriginLimiter
    private let loop: TransferLoop
    private let ruleLoops: RuleLoops
    private let settings: DownloadSettings
    /// The deadline of the callers that wait now.
    let deadline: Deadline
    /// The end of the last request, however far the deadline moves away.
    let end: Instant
    /// The next request. Its URL is the last that was asked.
    private var request: TransferRequest
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
        _ loop: TransferLoop,
        _ ruleLoops: RuleLoops,
        until end: Instant,
        onRefusedAccess: @escaping @Sendable (String, Int) -> Void,
    ) {
        self.onRefusedAccess = onRefusedAccess
        self.limiter = limiter
        self.loop = loop
        self.ruleLoops = ruleLoops
        self.settings = settings
        self.end = end
        deadline = job.deadline
        known = job.known
        heads = SourceHeads(onEvent: job.onEvent)
        request = TransferRequest(url: target.url, askedHost: target.askedHost, file: job.file)
        if target.rule?.access != nil { request.rule = target.rule }
        report = DownloadReport(url: target.url.text)
    }

    /// Downloads until the source is there, no reader wants more of it, or something went wrong: the report then has
    /// the reason.
    ///
    /// `expectsClip` is for a likely video or sound, of which a part may be enough.
    mutating func run(expectsClip: Bool) async {
        var version: SourceVersion?
        do throws(AttachmentFailure) {
            if expectsClip { request.range = 0..<settings.ranges.firstByteCount }
            var first = try await ask()
            if first.isRangeRefused {
                request.range = nil
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
        request.version = version
        request.file.setSize(version.size)
        var readAhead = ReadAhead(settings.ranges)
        var hasFailed = false
        for _ in 0..<settings.ranges.requestLimit {
            guard !request.file.contents.isComplete else { return nil }
            guard let missing = await request.file.missing() else { return request.cancelled() }
            let contents = request.file.contents
            let block = readAhead.block(for: missing, in: contents)
            guard block.count <= request.file.byteLimit - contents.present.count else { return request.tooLarge() }
            request.range = block
            do throws(AttachmentFailure) {
                _ = try await ask()
                hasFailed = false
            } catch {
                // The bytes so far are kept. One more request fetches the rest.
                guard error.leavesARest, !hasFailed else { return error }
                hasFailed = true
            }
        }
        return request.file.contents.isComplete ? nil : request.tooManyRanges(limit: settings.ranges.requestLimit)
    }

    /// Makes the request, and those that redirects lead to.
    private mutating func ask() async throws(AttachmentFailure) -> TransferResult {
        for _ in 0...settings.redirectLimit {
            report.url = request.url.text
            prepareForHead()
            let result = try await fetch(request)
            report.requestCount += result.requestCount
            report.status = result.status
            report.contentType = result.contentType.flatMap(DeclaredType.essence)
            report.fetchedByteCount += result.fetchedByteCount
            if let rule = request.rule, let status = result.status, [400, 401, 403].contains(status) {
                onRefusedAccess(rule.name, status)
            }
            if let failure = result.failure { throw failure }
            guard let location = result.location else { return result }
            request.isRedirected = true
            do throws(DownloadURL.ParseError) {
                request.url = try request.url.resolving(location)
            } catch {
                throw error.failure(redirectedBy: request.askedHost)
            }
            // A redirect out of the rule's place ends its access, and none gives access (SECURITY N12).
            if request.rule?.isFor(request.url) == false { request.rule = nil }
        }
        throw request.tooManyRedirects(limit: settings.redirectLimit)
    }

    /// Returns the thread for a request: that of its rule, if it has one.
    func loop(for request: TransferRequest) throws(AttachmentFailure) -> TransferLoop {
        guard let rule = request.rule, let access = rule.access else { return loop }
        return try ruleLoops.loop(for: rule, access)
    }

    /// Prepares for requests of parts. They belong to the version that is fetched now and have conditions of their own.
    private mutating func prepareForHead() {
        let target = request.isRedirected ? request.url.text : nil
        request.known = request.version == nil && known?.redirectedTo == target ? known : nil
        let asked = SystemTime().now
        request.onHead = { [heads, known = request.known] head in
            // A temporary failure says nothing about the source.
            guard head.status != 429, head.status < 500 else { return }
            heads.record(head, asked: asked, redirectedTo: target, unless: known)
        }
    }
}

extension AttachmentFailure {
    /// A Boolean value that indicates whether the failure came in the middle of a part, whose rest is worth another
    /// request.
    fileprivate var leavesARest: Bool { reason == .truncated || reason == .stalled }
}
