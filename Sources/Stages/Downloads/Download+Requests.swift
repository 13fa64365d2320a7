import HTTPClient
import Media
import Timing
import Values

/// The requests of a download: each waits until its origin may be asked, and some are retried.
extension Download {
    typealias Answer = (result: HTTPResult, verdict: SourceBody.Verdict)

    /// Makes the request for a source. A request that failed before a byte came, and may succeed the next time, is
    /// retried while there is time until the deadline of the present callers.
    func fetch(_ question: SourceBody.Question, with rule: AccessRule?) async throws(AttachmentFailure) -> Answer {
        let first = try await fetchOnce(question, with: rule)
        guard first.result.isWorthAnotherRequest, question.file.contents.ending == nil,
            limiter.mayRetry(origin(of: question, rule), until: min(end, deadline.latest))
        else { return first }
        var backOff = BackOff()
        try? await client.time.sleep(for: backOff.next())
        do throws(AttachmentFailure) {
            var second = try await fetchOnce(question, with: rule)
            second.result.requestCount += first.result.requestCount
            return second
        } catch {
            // The retry was refused. The first failure says more.
            return first
        }
    }

    private func fetchOnce(_ question: SourceBody.Question, with rule: AccessRule?) async throws(AttachmentFailure)
        -> Answer
    {
        var question = question
        question.request = try prepared(question, with: rule)
        // The host is resolved before there is a permit: a name whose server never answers holds none.
        let resolved = try await resolved(question)
        if case .failure(let failure) = resolved, failure.reason == .timedOut {
            // A caller with a later deadline may still get it.
            deadline.recordCutback()
            throw failure
        }
        let permit = try await permit(for: question, origin(of: question, rule))
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
        let verdict = body.verdict(on: &result)
        let hadTime = client.time.now - start >= limiter.rule.fairTime
        permit.leave(result.outcome(hadTime: hadTime, isOver: question.file.isOver))
        return (result, verdict)
    }

    private func origin(of question: SourceBody.Question, _ rule: AccessRule?) -> Origin {
        var origin = limiter.rule.origin(of: question.request.url)
        origin.access = rule?.key
        return origin
    }

    /// Returns the request with its header fields and the present secrets of its rule.
    private func prepared(_ question: SourceBody.Question, with rule: AccessRule?) throws(AttachmentFailure)
        -> HTTPRequest
    {
        var request = question.request
        let credentials = try credentials(of: rule, for: request)
        request.signature = credentials?.signature
        request.access = rule?.connectionAccess
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
        return request
    }

    /// Returns the request with the addresses of its host, or the reason why there are none. Throws if nobody waits any more.
    private func resolved(_ question: SourceBody.Question) async throws(AttachmentFailure)
        -> Result<HTTPRequest, AttachmentFailure>
    {
        let (request, latest) = (question.request, min(end, deadline.latest))
        let resolved = await whileWanted(question.file) { [client] () async -> Result<HTTPRequest, AttachmentFailure> in
            do throws(AttachmentFailure) {
                return .success(try await client.resolved(request, until: latest))
            } catch {
                return .failure(error)
            }
        }
        guard let resolved else { throw request.cancelled() }
        return resolved
    }

    /// Returns the present secrets of a rule.
    private func credentials(of rule: AccessRule?, for request: HTTPRequest) throws(AttachmentFailure)
        -> RequestCredentials?
    {
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
    private func permit(for question: SourceBody.Question, _ origin: Origin) async throws(AttachmentFailure)
        -> OriginPermit
    {
        let latest = min(end, deadline.latest)
        do throws(OriginLimitError) {
            let permit = try await whileWanted(question.file) { [limiter] () async throws(OriginLimitError) in
                try await limiter.enter(origin, until: latest)
            }
            guard let permit else { throw .cancelled }
            return permit
        } catch {
            // A caller with a later deadline may still get it.
            if error.lacksTime { deadline.recordCutback() }
            throw error.failure(of: question.request.origin, at: client.time.now)
        }
    }

    /// Performs `work` as long as a caller wants the source. Returns `nil` if nobody does any more.
    private func whileWanted<Value: Sendable, Failure: Error>(
        _ file: MediaFile,
        _ work: @escaping @Sendable () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value? {
        let outcome = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
            group.addTask {
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
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

extension MediaFile {
    /// A Boolean value that indicates whether the file was ended because time is over.
    fileprivate var isOver: Bool {
        if case .cut(let failure) = contents.ending { failure.reason == .timedOut } else { false }
    }
}

extension HTTPResult {
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
