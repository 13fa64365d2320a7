import UserNotificationsUI

/// A person's responses: each one is answered exactly once, at once or after a text was written.
@MainActor
final class Responses {
    typealias Option = UNNotificationContentExtensionResponseOption

    private let asksForText: (String) -> Bool
    private let showField: (Bool) -> Void
    private let answer: (_ action: String, _ text: String?) async -> Option
    private var waiting: (action: String, complete: (Option) -> Void)?

    init(
        asksForText: @escaping (String) -> Bool,
        showField: @escaping (Bool) -> Void,
        answer: @escaping (String, String?) async -> Option
    ) {
        (self.asksForText, self.showField, self.answer) = (asksForText, showField, answer)
    }

    /// Takes an action. `text` is what the system's own text field has, if the action is a text input action.
    func receive(_ action: String, text: String?, complete: @escaping (Option) -> Void) {
        cancel()
        guard text == nil, asksForText(action) else { return finish(action, text, complete) }
        waiting = (action, complete)
        showField(true)
    }

    /// Sends the text that was written for the action that waits. An empty text sends nothing.
    func send(_ text: String) {
        guard let (action, complete) = waiting, !text.allSatisfy(\.isWhitespace) else { return }
        waiting = nil
        showField(false)
        finish(action, text, complete)
    }

    /// Leaves the notification where it is if a text is waited for.
    func cancel() {
        guard let (_, complete) = waiting else { return }
        waiting = nil
        showField(false)
        complete(.doNotDismiss)
    }

    private func finish(_ action: String, _ text: String?, _ complete: @escaping (Option) -> Void) {
        Task { complete(await answer(action, text)) }
    }
}
