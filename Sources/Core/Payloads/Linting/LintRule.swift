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
}
