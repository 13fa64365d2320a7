import Payloads

/// The texts and marks of a notification, before and after processing.
struct ContentView {
    struct Text {
        let text: String
        let isKey: Bool
        /// The text before processing.
        let before: String
        let isMissing: Bool
    }

    struct Mark {
        var name: String
        var value: String
        /// An explanation, if the value alone is not clear.
        var note: String?
    }

    var title: Text
    var subtitle: Text
    var body: Text
    /// The label above the title: `Time sensitive` or `Critical`.
    var level: String?
    var isPassive: Bool
    var thread: String?
    var marks: [Mark]

    init(_ content: ShownContent, before: ShownContent) {
        title = Text(content.title, before: before.title)
        subtitle = Text(content.subtitle, before: before.subtitle)
        body = Text(content.body, before: before.body)
        level =
            switch content.interruptionLevel {
            case .timeSensitive: "Time sensitive"
            case .critical: "Critical"
            case .passive, .active: nil
            }
        isPassive = content.interruptionLevel == .passive
        thread = content.threadIdentifier
        marks = content.marks
    }
}

extension ContentView.Text {
    init(_ text: ShownText?, before: ShownText?) {
        self.text = text?.text ?? ""
        isKey = text?.isKey ?? false
        isMissing = text == nil
        self.before = before?.text ?? ""
    }
}

extension ShownContent {
    /// The properties of a notification other than its texts.
    fileprivate var marks: [ContentView.Mark] {
        typealias Mark = ContentView.Mark
        var marks: [Mark] = []
        if let sound {
            let volume = sound.volume.map { " at volume \($0)" } ?? ""
            marks.append(Mark(name: "Sound", value: sound.name, note: sound.isCritical ? "critical\(volume)" : nil))
        } else {
            marks.append(Mark(name: "Sound", value: "none"))
        }
        if let badge { marks.append(Mark(name: "Badge", value: "\(badge)", note: badge == 0 ? "clears it" : nil)) }
        marks.append(Mark(name: "Interruption", value: interruptionLevel.rawValue, note: interruptionLevel.note))
        if let relevanceScore { marks.append(Mark(name: "Relevance", value: "\(relevanceScore)", note: "of 1")) }
        if let threadIdentifier { marks.append(Mark(name: "Thread", value: threadIdentifier)) }
        if let categoryIdentifier { marks.append(Mark(name: "Category", value: categoryIdentifier)) }
        if let targetContentIdentifier { marks.append(Mark(name: "Target content", value: targetContentIdentifier)) }
        if [title, subtitle, body].contains(where: { $0?.isKey == true }) {
            marks.append(Mark(name: "Localised", value: "keys", note: "the app has the texts"))
        }
        return marks
    }
}

extension ShownContent.InterruptionLevel {
    fileprivate var note: String? {
        switch self {
        case .passive: "no banner, no sound"
        case .active: nil
        case .timeSensitive: "breaks through a Focus"
        case .critical: "sounds even when muted"
        }
    }
}

// MARK: - Actions

/// A button below the expanded notification.
struct ActionView {
    var identifier: String
    var title: String
    var isDestructive: Bool
    /// The meaning of the action's options as text.
    var marks: [String]
    var input: NotificationAction.TextInput?

    init(_ action: NotificationAction) {
        identifier = action.identifier
        title = action.title
        isDestructive = action.options.contains(.destructive)
        var marks: [String] = []
        if action.options.contains(.authenticationRequired) { marks.append("unlocks first") }
        if action.options.contains(.foreground) { marks.append("opens the app") }
        self.marks = marks
        input = action.textInput
    }
}
