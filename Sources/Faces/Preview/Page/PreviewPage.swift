/// The HTML of the preview: the page and its fragments.
package struct PreviewPage: Sendable {
    /// The choices that the page offers.
    package struct Choices: Sendable {
        package var profiles: [String]
        /// The default deadline, such as `25s`.
        package var deadline: String
        package var needsToken: Bool
        /// A Boolean value that indicates whether responses go to a webhook.
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

    /// Returns the login page. `isWrong` indicates that the previous token was wrong.
    package func login(isWrong: Bool) -> String { templates.render(["isWrong": isWrong], "login") }

    /// Returns the fragment for one processed notification.
    package func fragment(_ result: ResultView) -> String { templates.render(result, "result") }
}
