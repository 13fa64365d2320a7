import Base
import Media
import Processing

@testable import Downloads
@testable import HTTPClient

/// The downloads of a worker from simulated origins, through the real limiter.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedOrigins: AttachmentDownloading, @unchecked Sendable {
    private let limiter: OriginLimiter
    private let time: SimulatedTime
    private let faults: Faults
    private let checks: OriginChecks

    init(
        _ time: SimulatedTime,
        _ faults: Faults,
        _ checks: OriginChecks,
        recorder: any EventRecorder<OriginEvent>,
    ) {
        var rule = OriginRule()
        (rule.firstLimit, rule.mostLimit, rule.globalLimit) = (2, 4, 4)
        // A run has too few requests for the usual numbers.
        (rule.breaker.streak, rule.breaker.leastCount) = (2, 4)
        (rule.siteBreaker.streak, rule.siteBreaker.leastCount) = (2, 4)
        limiter = OriginLimiter(rule, time: time, recorder: recorder)
        self.time = time
        self.faults = faults
        self.checks = checks
    }

    var usage: OriginUsage { limiter.usage }

    func resolve(_ text: String) -> Media.Source {
        guard let number = Source(text)?.origin else { return Media.Source(text) }
        let url = Self.url(of: number)
        let target = SourceTarget(url: url, host: url.host, origin: Origin(of: url), rule: nil)
        return Media.Source(text, at: .success(target))
    }

    private static func url(of origin: Int) -> DownloadURL {
        let host = Source.host(origin)
        let site = Site(host: host)
        return DownloadURL(text: "https://\(host)/", scheme: "https", host: host, port: 443, path: "/", site: site)
    }

    func download(_ job: DownloadJob) async {
        let file = job.file
        await withTaskGroup { group in
            group.addTask { file.end(await self.ending(of: job)) }
            group.addTask { _ = await file.contents { $0.ending != nil } }
            await group.next()
            group.cancelAll()
        }
    }

    private func ending(of job: DownloadJob) async -> MediaFile.Ending {
        do throws(AttachmentFailure) {
            guard let source = Source(job.source.text) else { throw Self.failure(.invalidURL) }
            var host = source.origin
            for _ in 0..<5 {
                if let end = try await ask(host, for: source, job) { return end }
                host = faults.origin(host) == .loops ? host : (host + 1) % 4
            }
            throw Self.failure(.tooManyRedirects)
        } catch {
            return .cut(error)
        }
    }

    /// Makes one request. Returns `nil` after a redirect.
    private func ask(_ host: Int, for source: Source, _ job: DownloadJob) async throws(AttachmentFailure)
        -> MediaFile.Ending?
    {
        let origin = Origin(of: Self.url(of: host))
        let latest = min(time.now + job.timeLimit, job.deadline.latest)
        let permit: OriginPermit
        do throws(OriginLimitError) {
            permit = try await limiter.enter(origin, until: latest)
        } catch {
            checks.refused(host, error, limiter.usage, limiter.rule.siteBreaker)
            if error.lacksTime { job.deadline.recordCutback() }
            throw error.failure(of: origin.host, at: time.now)
        }
        let start = time.now
        let request = checks.begins(host, limit: limiter.rule.globalLimit)
        var result = HTTPResult()
        let preempted = OneShot<Void>()
        permit.onPreemption { _ in preempted.set() }
        defer {
            result.wasPreempted = preempted.current != nil
            let isOver = if case .cut(let cut) = job.file.contents.ending { cut.reason == .timedOut } else { false }
            let outcome = result.outcome(hadTime: time.now - start >= limiter.rule.fairTime, isOver: isOver)
            checks.ends(request, outcome, limiter.rule.breaker)
            permit.leave(outcome)
        }
        return try await transfer(source, faults.origin(host), job, permit, preempted, &result)
    }

    private func transfer(
        _ source: Source,
        _ fault: Faults.Origin?,
        _ job: DownloadJob,
        _ permit: OriginPermit,
        _ preempted: OneShot<Void>,
        _ result: inout HTTPResult,
    ) async throws(AttachmentFailure) -> MediaFile.Ending? {
        func fails(_ reason: AttachmentFailure.Reason) -> AttachmentFailure {
            result.failure = Self.failure(reason)
            return Self.failure(reason)
        }
        let latency = fault == .slow ? 200...1500 : 5...120
        try await pause(.milliseconds(Int.random(in: latency)), preempted) { fails(.cancelled) }
        if fault == .unreachable { throw fails(.connectionFailed) }
        result.isConnected = true
        switch fault {
        case .resets where Bool.random(): throw fails(.connectionFailed)
        case .fails:
            (result.status, result.retryAfter) = (503, Bool.random() ? .seconds(Int.random(in: 0...3)) : nil)
            throw fails(.httpStatus)
        case .busy:
            (result.status, result.retryAfter) = (429, .seconds(Int.random(in: 0...3)))
            throw fails(.httpStatus)
        case .redirects, .loops:
            result.status = 302
            return nil
        default: result.status = 200
        }
        permit.answered()
        let answer = SourceFreshness.Answer(
            isShareable: source.content != .personal,
            lifetime: Bool.random() ? .seconds(Int.random(in: 0...5)) : nil,
            received: time.now,
        )
        let tag = SourceValidators(entityTag: "\(source.number)")
        if job.known == tag, Bool.random() {
            job.onEvent(.head(SourceHead(status: 304, freshness: SourceFreshness(answers: [answer]), validators: tag)))
            throw Self.failure(.cancelled)
        }
        job.onEvent(.head(SourceHead(status: 200, freshness: SourceFreshness(answers: [answer]), validators: tag)))
        let bytes = source.bytes(version: 1)
        let announced = bytes.count + (fault == .announcesMore ? 500 : fault == .announcesLess ? -100 : 0)
        job.file.setSize(announced)
        var count = 0
        while count < bytes.count {
            let part = bytes[count..<min(bytes.count, count + Int.random(in: 200...8000))]
            try await pause(.milliseconds(fault == .slow ? 700 : Int.random(in: 1...30)), preempted) {
                fails(.cancelled)
            }
            if fault == .stalls, count > 0 {
                try await pause(.seconds(20), preempted) { fails(.cancelled) }
                throw fails(.stalled)
            }
            if fault == .resets, count > 0 { throw fails(.truncated) }
            do throws(AttachmentFailure) { try job.file.append(Array(part)) } catch {
                result.failure = error
                throw error
            }
            count += part.count
            result.isFlowing = true
            permit.progressed(count, of: announced)
        }
        if count < announced { throw fails(.truncated) }
        return .whole
    }

    /// Waits, but no longer than the request lasts.
    private func pause(
        _ duration: Duration,
        _ preempted: OneShot<Void>,
        _ fails: () -> AttachmentFailure,
    ) async throws(AttachmentFailure) {
        let isOver = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await self.time.sleep(for: duration)) == nil }
            group.addTask {
                _ = await preempted.value()
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
        if isOver { throw fails() }
    }

    private static func failure(_ reason: AttachmentFailure.Reason) -> AttachmentFailure {
        AttachmentFailure(.download, reason, "The simulated origin made this fail.")
    }
}
