import Media
import Timing

/// The requests of a download: each waits until its origin may be asked, and some are retried.
extension Download {
    /// Makes the request for a source. A request that failed before a byte came, and may succeed the next time, is
    /// retried while there is time until the deadline of the present callers.
    func fetch(_ request: TransferRequest) async throws(AttachmentFailure) -> TransferResult {
        let first = try await fetchOnce(request)
        guard first.isWorthAnotherRequest, request.file.contents.ending == nil,
            limiter.mayRetry(limiter.rule.origin(of: request), until: min(end, deadline.latest))
        else { return first }
        var backOff = BackOff()
        try? await SystemTime().sleep(for: backOff.next())
        do throws(AttachmentFailure) {
            var second = try await fetchOnce(request)
            second.requestCount += first.requestCount
            return second
        } catch {
            // The retry was refused. The first failure says more.
            return first
        }
    }

    private func fetchOnce(_ request: TransferRequest) async throws(AttachmentFailure) -> TransferResult {
        let permit = try await permit(for: request)
        let start = SystemTime().now
        var permitted = request
        permitted.permit = permit
        permitted.credentials = try credentials(for: request)
        let result = try await loop(for: request).run(permitted, until: end)
        let hadTime = SystemTime().now - start >= limiter.rule.fairTime
        permit.leave(result.outcome(hadTime: hadTime, isOver: request.isOver))
        return result
    }

    /// Returns the present secrets of the request's rule.
    private func credentials(for request: TransferRequest) throws(AttachmentFailure) -> RequestCredentials? {
        do throws(CredentialsError) {
            return try request.rule?.credentials
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
    private func permit(for request: TransferRequest) async throws(AttachmentFailure) -> OriginPermit {
        let latest = min(end, deadline.latest)
        let origin = limiter.rule.origin(of: request)
        let entered = await withTaskGroup(of: Result<OriginPermit, OriginLimitError>?.self) { group in
            group.addTask {
                do throws(OriginLimitError) {
                    return .success(try await limiter.enter(origin, until: latest))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                _ = await request.file.contents { $0.ending != nil }
                return nil
            }
            var entered: Result<OriginPermit, OriginLimitError> = .failure(.cancelled)
            for await result in group {
                if let result { entered = result }
                group.cancelAll()
            }
            return entered
        }
        switch entered {
        case .success(let permit): return permit
        case .failure(let refusal):
            // A caller with a later deadline may still get it.
            if refusal.lacksTime { deadline.recordCutback() }
            throw refusal.failure(of: request.origin, at: SystemTime().now)
        }
    }
}

extension OriginRule {
    /// Returns the origin of a request.
    fileprivate func origin(of request: TransferRequest) -> Origin {
        var origin = origin(of: request.url)
        origin.access = request.rule?.key
        return origin
    }
}

extension TransferLoop {
    /// Makes the request in the time that is left, if there is any.
    func run(_ request: TransferRequest, until deadline: Instant) async throws(AttachmentFailure) -> TransferResult {
        var request = request
        request.timeLimit = deadline - SystemTime().now
        guard request.timeLimit > .zero else { throw request.timedOut() }
        return await run(request)
    }
}

extension TransferRequest {
    /// A Boolean value that indicates whether the file was ended because time is over.
    fileprivate var isOver: Bool {
        if case .cut(let failure) = file.contents.ending { failure.reason == .timedOut } else { false }
    }
}

extension TransferResult {
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
