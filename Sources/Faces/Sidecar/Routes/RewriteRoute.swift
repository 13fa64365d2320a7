import Base
import HTTPTypes
import Hummingbird
import Media
import Payloads
import Processing

/// The route `POST /v1/rewrite`. It takes a raw payload and answers with the raw rewritten payload, or a list of them.
/// Options and the outcome are in header fields.
struct RewriteRoute: Sendable {
    let service: NotificationService
    let admission: Admission
    let lists: ListLimits

    func respond(to request: Request, from client: ClientAddress) async throws -> Response {
        let accepted = service.now
        let options = try options(in: request.headers)
        let lanes = ListLanes(admission: admission, limits: lists, client: client)
        return try await RequestBody.with(request, lanes) { body in
            switch body {
            case .one(let payload): try await respond(to: payload, options, accepted)
            case .list(let bytes):
                try await lanes.admit {
                    try read(RequestBody.items(of: bytes), options)
                } answer: { list in
                    try admission.checkOpen(until: accepted + list.timeLimit)
                    return await respond(to: list, accepted, lanes)
                }
            }
        }
    }

    private func respond(
        to payload: [UInt8],
        _ options: NotificationService.Options,
        _ accepted: Instant,
    ) async throws -> Response {
        let deadline = accepted + service.timeLimit(of: options)
        let result = try await admission.admit(for: options.tenant, until: deadline) {
            try await lists.longWork.perform(payload.count) {
                do throws(RequestError) {
                    return try await service.process(.bytes(payload), options: options, accepted: accepted)
                } catch .payload(.noNotification) where Self.isEnvelope(try? JSONValue(parsing: payload)) {
                    throw Self.envelopeError
                }
            }
        }
        var headers: HTTPFields = [.contentType: "application/json"]
        let visible = VisibleOutcome(of: result, isUnchanged: result.payload == payload)
        headers[.attachdOutcome] = visible.outcome.rawValue
        headers[.attachdReason] = visible.reason
        headers[.attachdMargin] = String(result.margin.milliseconds)
        headers[.attachdRemarks] = String(result.remarks.count)
        headers[.serverTiming] = result.timings.map { "\($0.stage);dur=\($0.milliseconds)" }.joined(separator: ", ")
        service.left([result])
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: result.payload)))
    }

    private func read(_ payloads: [JSONValue], _ options: NotificationService.Options) throws -> ListProcessing.List {
        ListProcessing.List(
            items: try payloads.map { payload throws(RequestError) in
                do throws(RequestError) {
                    return .success(try service.read(item: payload, options: options))
                } catch {
                    return .failure(try Self.problem(with: payload, error))
                }
            }
        )
    }

    private func respond(to list: ListProcessing.List, _ accepted: Instant, _ lanes: ListLanes) async -> Response {
        let processing = ListProcessing(service: service, lanes: lanes)
        let answers = await processing.process(list.items, accepted: accepted, timeLimit: list.timeLimit)
        var response = processing.response(answers, accepted: accepted, timeLimit: list.timeLimit) { $0.payload }
        let outcomes = answers.map { answer in
            switch answer {
            case .success(let result):
                VisibleOutcome(
                    of: result,
                    isUnchanged: result.payloadValue == result.request.notification.payload,
                )
            case .failure(let problem): VisibleOutcome(of: problem)
            }
        }
        if let worst = VisibleOutcome.worst(of: outcomes) {
            response.headers[.attachdOutcome] = worst.outcome.rawValue
            response.headers[.attachdReason] = worst.reason
        }
        let remarks = answers.compactMap { try? $0.get().remarks.count }
        response.headers[.attachdRemarks] = String(remarks.reduce(0, +))
        return response
    }

    /// Returns the problem of one payload. Throws one of the options, which are those of all payloads.
    private static func problem(with payload: JSONValue, _ error: RequestError) throws(RequestError) -> Problem {
        switch error {
        case .option, .payload(.unknownDialect): throw error
        case .payload(.noNotification) where isEnvelope(payload): Problem(envelopeError)
        default: Problem(error)
        }
    }

    /// Returns whether the body would be taken as an envelope, and not only has the key of one.
    private static func isEnvelope(_ body: JSONValue?) -> Bool {
        guard let body, let envelope = try? NotificationEnvelope(body, isJob: true) else { return false }
        return envelope.payload["aps"]?.isObject == true
            || (try? PayloadReader().read(envelope.payload, identifier: "envelope")) != nil
    }

    private static let envelopeError = RequestError.envelope(
        "This is an envelope. Send it to /v1/notifications, or send its \"payload\" alone."
    )

    private func options(in headers: HTTPFields) throws -> NotificationService.Options {
        var options = NotificationService.Options()
        options.profile = headers[.attachdProfile]
        options.dialect = headers[.attachdDialect]
        if let name = headers[.attachdTenant] {
            guard TenantName.isValid(name) else {
                throw Problem(.badRequest, "Attachd-Tenant is not a tenant's name. Write \(TenantName.rule).")
            }
            options.tenant = name
        }
        if let text = headers[.attachdPushType] {
            guard let pushType = PushType(rawValue: text) else {
                throw Problem(.badRequest, "Attachd-Push-Type must be one of: \(PushType.names).")
            }
            options.pushType = pushType
        }
        options.timeLimit = try Self.timeLimit(in: headers)
        return options
    }

    /// Returns the time limit that the header names, if it does.
    static func timeLimit(in headers: HTTPFields) throws -> Duration? {
        guard let text = headers[.attachdDeadline] else { return nil }
        guard let limit = DurationText.parse(text) else {
            throw Problem(.badRequest, "Attachd-Deadline is not a duration. Write it as 800ms or 20s.")
        }
        return limit
    }
}

extension HTTPField.Name {
    static func named(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }

    static let attachdDeadline = named("Attachd-Deadline")
    static let attachdProfile = named("Attachd-Profile")
    static let attachdDialect = named("Attachd-Dialect")
    static let attachdTenant = named("Attachd-Tenant")
    static let attachdPushType = named("Attachd-Push-Type")
    static let attachdOutcome = named("Attachd-Outcome")
    static let attachdMargin = named("Attachd-Margin")
    static let attachdRemarks = named("Attachd-Remarks")
    static let serverTiming = named("Server-Timing")
}

// MARK: - The outcome in header fields

/// The outcome that the answer of `POST /v1/rewrite` tells in its header fields.
///
/// The answer is the payload itself, so the outcome is `original` if the payload is unchanged, even if attachd made a file.
struct VisibleOutcome: Sendable, Equatable {
    /// The most bytes of a reason.
    static let reasonLimit = 200

    var outcome: ProcessingResult.Outcome
    /// An `errors[].reason` or the code of a remark, a colon, and the text; `nil` if all is well. It has ASCII only, and
    /// no URLs: gateways log header fields.
    var reason: String?

    init(of result: ProcessingResult, isUnchanged: Bool) {
        outcome = isUnchanged ? .original : result.outcome
        reason = outcome == .complete ? nil : Self.reason(of: result).map(Self.headerText)
    }

    /// Creates the outcome of an item of a list that was answered with a problem.
    init(of problem: Problem) {
        let code =
            switch problem.status {
            case .contentTooLarge: "payloadTooLarge"
            case .internalServerError, .serviceUnavailable: "internalError"
            default: "attachmentMissing"
            }
        outcome = .original
        reason = Self.headerText("\(code): \(problem.detail)")
    }

    /// Returns the worst outcome of a list, with the first of its reasons.
    static func worst(of all: [VisibleOutcome]) -> VisibleOutcome? {
        ProcessingResult.Outcome.allCases.reversed().lazy.compactMap { outcome in
            let those = all.filter { $0.outcome == outcome }
            return those.first { $0.reason != nil } ?? those.first
        }
        .first
    }

    private static func reason(of result: ProcessingResult) -> String? {
        if result.unchangedReason == "notPublished" {
            return "notPublished: The files have no URL for phones. Set --public-url, or --publish."
        }
        if let failure = result.failures.first?.failure { return "\(failure.reason.rawValue): \(failure.message)" }
        if let remark = result.remarks.first { return remark }
        guard result.request.notification.attachments.isEmpty else { return nil }
        return "\(LintCode.attachmentMissing.rawValue): No dialect finds an attachment in the payload."
    }

    /// Returns a text as the value of a header field: each URL becomes its host, only printable ASCII stays, and a long
    /// text is cut.
    static func headerText(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).map(withoutURL)
        let ascii = words.joined(separator: " ").unicodeScalars.map { scalar -> Character in
            (0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?"
        }
        guard ascii.count > reasonLimit else { return String(ascii) }
        return String(ascii.prefix(reasonLimit - 3)) + "..."
    }

    private static func withoutURL(_ word: Substring) -> Substring {
        if word.contains("data:") { return "data" }
        guard let mark = word.firstRange(of: "://") else { return word }
        let authority = word[mark.upperBound...].prefix { !"/?#\"'()<>,;\\".contains($0) }
        // A scheme alone, as in "Begin it with https://.", is a word of the message.
        guard authority.contains(where: { $0.isLetter || $0.isNumber }) else { return word }
        return authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    }
}

extension HTTPField.Name {
    static let attachdReason = named("Attachd-Reason")
}
