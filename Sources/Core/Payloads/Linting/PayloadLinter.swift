/// The linter: what Apple's devices, Firebase and browsers do with a payload, as far as the payload tells.
package struct PayloadLinter: Sendable {
    private let now: Int
    private let extensionCategories: [String: Bool]
    private let dialects: [Dialect]

    /// Creates a linter for the time `now`, in seconds since 1970. `extensionCategories` has the categories that a
    /// content extension shows, and whether it hides the system's title and text. A key that resembles a key of
    /// `dialects` counts as misspelled.
    package init(now: Int, extensionCategories: [String: Bool] = [:], dialects: [Dialect] = Dialect.builtIn) {
        self.now = now
        self.extensionCategories = extensionCategories
        self.dialects = dialects
    }

    /// Returns the findings on a payload as its sender wrote it, those of severity `error` first.
    package func findings(in request: NotificationRequest) -> [LintFinding] {
        let attachments = request.attachments + request.held.map(\.attachment)
        let subject = subject(request, payload: request.payload, attachments)
        let findings = LintRule.all.flatMap { $0.check(subject) }
        return LintFinding.Severity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
    }

    /// Returns the findings on a payload as it goes to the push service: errors and warnings only.
    ///
    /// `delivered` has the indices of the attachments that attachd has processed. Their files are right; the URLs of the
    /// others are still the sender's.
    package func findings(
        in request: NotificationRequest,
        rewritten: RewrittenPayload,
        delivered: Set<Int>,
    ) -> [LintFinding] {
        let kept = request.attachments.enumerated().filter { !delivered.contains($0.offset) }.map(\.element)
        let subject = subject(request, payload: rewritten.payload, kept, byteCount: rewritten.byteCount)
        // A background push shows no alert on purpose.
        return LintRule.outgoing.filter { $0.code != .alertMissing || !subject.isBackground }
            .flatMap { $0.check(subject) }
            .filter { $0.severity != .note }
    }

    private func subject(
        _ request: NotificationRequest,
        payload: JSONValue,
        _ attachments: [AttachmentRequest],
        byteCount: Int? = nil,
    ) -> LintSubject {
        let content = payload.opening(request.strings)
        return LintSubject(
            request: request,
            payload: payload,
            content: content,
            byteCount: byteCount ?? request.byteCount(of: payload),
            attachments: attachments.map { LintedAttachment($0, in: content) },
            now: now,
            extensionCategories: extensionCategories,
            dialects: dialects,
        )
    }
}

// MARK: - Rules

/// A rule of the linter: the code of its findings, and the check that makes them.
struct LintRule: Sendable {
    let code: LintCode
    /// A Boolean value that indicates whether the rule is about what goes to the push service. The other rules are about
    /// what a sender writes, or need what only a person knows.
    let isAboutOutgoing: Bool
    let check: @Sendable (LintSubject) -> [LintFinding]

    init(
        _ code: LintCode,
        isAboutOutgoing: Bool = true,
        check: @escaping @Sendable (LintSubject) -> [LintFinding],
    ) {
        self.code = code
        self.isAboutOutgoing = isAboutOutgoing
        self.check = check
    }

    /// Creates a rule for each attachment by itself.
    init(forEach code: LintCode, check: @escaping @Sendable (LintedAttachment, LintSubject) -> LintFinding?) {
        self.init(code) { subject in subject.attachments.compactMap { check($0, subject) } }
    }

    /// All rules, in the order of their findings: the payload, its attachments, their URLs, their formats.
    static let all = payloadRules + presentationRules + urlRules + formatRules
    /// The rules about what goes to the push service.
    static let outgoing = all.filter(\.isAboutOutgoing)
}

// MARK: - The payload

/// A payload as the rules look at it.
struct LintSubject: Sendable {
    let request: NotificationRequest
    /// The payload whose rules are checked: as it came, or as it goes on.
    let payload: JSONValue
    /// The payload with the JSON of its strings in their places.
    let content: JSONValue
    /// The number of its bytes that count against the push service's limit.
    let byteCount: Int
    /// The attachments whose URLs go to the device as the sender wrote them.
    let attachments: [LintedAttachment]
    /// The time of the check, in seconds since 1970.
    let now: Int
    /// The categories with a content extension, and whether that hides the system's title and text.
    let extensionCategories: [String: Bool]
    let dialects: [Dialect]

    /// A Boolean value that indicates whether the payload is of a Live Activity, which runs no service extension.
    var isLiveActivity: Bool { payload["aps"]?["content-state"] != nil }

    /// A Boolean value that indicates whether the sender means no alert: a background push.
    var isBackground: Bool { payload["aps"]?["content-available"]?.isYes == true }

    /// The attachments for iPhone, iPad and Watch.
    var forApple: [LintedAttachment] { attachments.filter { $0.platform == .apple } }
}
