package import Payloads

extension ShownContent {
    /// Returns the fields from which a push service makes the alert for all platforms, or `null`.
    static func fields(of payload: JSONValue) -> JSONValue {
        let pointers = ContentPointers.all.first { $0.fits(payload) } ?? .payload
        return pointers.fields.flatMap { payload.value(at: $0) } ?? .null
    }

    /// A Boolean value that indicates whether an Apple device shows an alert.
    var hasText: Bool { title != nil || subtitle != nil || body != nil }

    /// Reads the content that an Apple device would show, from a push payload or from a request to a push service.
    package init(_ payload: JSONValue) {
        let pointers = ContentPointers.all.first { $0.fits(payload) } ?? .payload
        func field(_ pointer: JSONPointer?) -> JSONValue? { pointer.flatMap { payload.value(at: $0) } }

        let aps = field(pointers.aps) ?? .object([])
        userInfo = field(pointers.userInfo) ?? payload
        if let text = aps["alert"]?.text {
            body = ShownText(text)
        } else if let alert = aps["alert"] {
            title = ShownText(alert, "title", locKey: "title-loc")
            subtitle = ShownText(alert, "subtitle", locKey: "subtitle-loc")
            body = ShownText(alert, "body", locKey: "loc")
        }
        // The push service makes the alert from these fields.
        if let fields = field(pointers.fields) {
            title = title ?? ShownText(fields, "title", locKey: "title-loc")
            subtitle = subtitle ?? ShownText(fields, "subtitle", locKey: "subtitle-loc")
            body = body ?? ShownText(fields, "body", locKey: "body-loc") ?? ShownText(fields, "message", locKey: "loc")
        }
        let fields = field(pointers.fields) ?? .object([])
        func value(_ keys: String...) -> JSONValue? {
            keys.lazy.compactMap { aps[$0] }.first ?? keys.lazy.compactMap { fields[$0] }.first
        }
        badge = value("badge")?.double.flatMap { Int(exactly: $0) }
        sound = value("sound").flatMap(Sound.init)
        threadIdentifier = value("thread-id", "thread_id", "threadIdentifier")?.text
        categoryIdentifier = value("category", "categoryId", "categoryIdentifier")?.text
        interruptionLevel =
            value("interruption-level", "interruption_level")?.text.flatMap(InterruptionLevel.init) ?? .active
        relevanceScore = value("relevance-score")?.double
        targetContentIdentifier = aps["target-content-id"]?.text
    }
}

extension ShownContent.Sound {
    fileprivate init?(_ value: JSONValue) {
        if let name = value.text, !name.isEmpty {
            self.init(name: name)
        } else if let name = value["name"]?.text {
            self.init(name: name, isCritical: value["critical"]?.isYes ?? false, volume: value["volume"]?.double)
        } else {
            return nil
        }
    }
}
