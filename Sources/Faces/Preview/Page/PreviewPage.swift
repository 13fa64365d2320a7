/// The page itself, and what it shows of a result.
package struct PreviewPage: Sendable {
    /// What can be chosen on it.
    package struct Choices: Sendable {
        package var profiles: [String]
        /// The deadline where a person names none, such as `25s`.
        package var deadline: String
        package var needsToken: Bool
        /// Whether responses go to a webhook.
        package var hasWebhook: Bool

        package init(profiles: [String], deadline: String, needsToken: Bool, hasWebhook: Bool) {
            self.profiles = profiles
            self.deadline = deadline
            self.needsToken = needsToken
            self.hasWebhook = hasWebhook
        }
    }

    private let templates = PreviewTemplates()
    private let page: String

    package init(_ choices: Choices) {
        page = templates.render(
            [
                "samples": PreviewSample.all, "profiles": choices.profiles, "deadline": choices.deadline,
                "needsToken": choices.needsToken, "hasWebhook": choices.hasWebhook,
            ] as [String: Any],
            "page",
        )
    }

    package var html: String { page }

    /// Asks for the token; `isWrong` after one that wasn't it.
    package func login(isWrong: Bool) -> String { templates.render(["isWrong": isWrong], "login") }

    /// What goes into the page for one processed notification.
    package func fragment(_ result: ResultView) -> String { templates.render(result, "result") }
}
