/// A button below the expanded notification.
struct ActionView {
    struct Input {
        var buttonTitle: String
        var placeholder: String
    }

    var identifier: String
    var title: String
    var isDestructive: Bool
    /// The meaning of the action's options as text.
    var marks: [String]
    var input: Input?

    init(_ action: NotificationAction) {
        identifier = action.identifier
        title = action.title
        isDestructive = action.options.contains(.destructive)
        var marks: [String] = []
        if action.options.contains(.authenticationRequired) { marks.append("unlocks first") }
        if action.options.contains(.foreground) { marks.append("opens the app") }
        self.marks = marks
        input = action.textInput.map { Input(buttonTitle: $0.buttonTitle, placeholder: $0.placeholder) }
    }
}
