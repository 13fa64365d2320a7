package import Media
package import Timing

/// A server's answer to a message.
package struct MessageAnswer: Sendable, Equatable {
    package var status: Int
    /// The body of an answer with status 200, or of the answer to a signed message. Empty otherwise.
    package var body: [UInt8]
    /// The reason why the body of an answer with status 200 is not whole, or `nil` if it is.
    package var failure: AttachmentFailure?
}

extension Downloader {
    /// The most bytes of an answer's body that are read.
    private static let answerByteLimit = 1_000_000

    /// Sends a message under the same rules as every download, above all those for addresses. Redirects are not
    /// followed. Throws the reason if there is no answer.
    ///
    /// The request is made at once. The caller decides when to send again, and a message that is refused here may be
    /// its last.
    package func send(
        _ message: OutgoingMessage,
        to url: String,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> MessageAnswer {
        try await send(message, to: try Self.parsed(url), with: nil, on: loop, until: deadline).answer
    }

    /// Posts one of many answers that go to any number of servers, none of which delays the others. The caller may have
    /// to try again later: the post is refused while its server is busy, and ends early if it takes long while others
    /// wait.
    package func post(
        _ message: OutgoingMessage,
        to url: String,
        until deadline: Instant,
    ) async throws(CallbackAddressError) -> MessageAnswer {
        let parsed: DownloadURL
        do throws(AttachmentFailure) {
            parsed = try Self.parsed(url)
        } catch {
            throw .failed(error)
        }
        let permit: OriginPermit
        do throws(OriginLimitError) {
            permit = try await callbackLimiter.enter(callbackLimiter.rule.origin(of: parsed), until: deadline)
        } catch {
            let now = SystemTime().now
            throw .notNow(error.failure(of: parsed.host, at: now), after: error.pause(at: now))
        }
        do throws(AttachmentFailure) {
            let (answer, result) = try await send(message, to: parsed, with: permit, on: loop, until: deadline)
            if answer.status < 500, answer.status != 429 { permit.answered() }
            permit.leave(result.outcome(hadTime: true, isOver: false))
            return answer
        } catch {
            // The transfer has returned the permit with its outcome.
            throw .failed(error)
        }
    }

    private static func parsed(_ url: String) throws(AttachmentFailure) -> DownloadURL {
        do throws(DownloadURL.ParseError) {
            return try DownloadURL(url)
        } catch {
            throw error.failure(redirectedBy: nil)
        }
    }

    func send(
        _ message: OutgoingMessage,
        to parsed: DownloadURL,
        with permit: OriginPermit?,
        on loop: TransferLoop,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> (answer: MessageAnswer, result: TransferResult) {
        let answer = try MediaFile(byteLimit: Self.answerByteLimit)
        // Without a reader for all of it, the transfer would pause.
        answer.want(0..<Int.max)
        var request = TransferRequest(url: parsed, askedHost: parsed.host, file: answer)
        request.message = message
        request.permit = permit
        let result = try await loop.run(request, until: deadline)
        reportConcealedCause(of: result.failure)
        guard let status = result.status else {
            permit?.leave(result.outcome(hadTime: true, isOver: false))
            throw result.failure ?? request.cancelled()
        }
        let failure = status == 200 && result.failure?.reason != .empty ? result.failure : nil
        return (
            MessageAnswer(status: status, body: answer.prefix(Self.answerByteLimit), failure: failure), result
        )
    }
}

/// The reason why an answer was not posted to its callback.
package enum CallbackAddressError: Error, Sendable, Equatable {
    case failed(AttachmentFailure)
    /// The server is busy or its requests are paused. No request was made, and the next must not be made before
    /// `after`.
    case notNow(AttachmentFailure, after: Duration)
}
