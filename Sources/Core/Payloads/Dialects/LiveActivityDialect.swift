extension Dialect {
    /// A Live Activity whose state has a URL at the place of the inline picture.
    ///
    /// ActivityKit decodes `content-state` into the app's own type, and a widget cannot use the network ("Displaying live
    /// data with Live Activities", Apple): no URL would help it. The system runs no service extension for such a push, so
    /// no `mutable-content` is needed.
    static func liveActivity(at place: JSONPattern) -> Dialect {
        Dialect(
            name: "live-activity",
            title: "Live Activity",
            source: "developer.apple.com/documentation/activitykit/displaying-live-data-with-live-activities",
            paths: [AttachmentPath(url: place, isAbsolute: true, list: nil)],
        )
    }
}
