extension Dialect {
    /// The key of Apple's own sample code, and the default.
    package static let myAttachment = Dialect(
        name: "my-attachment",
        title: "Apple's sample",
        source: "Apple, Modifying content in newly delivered notifications",
        paths: [AttachmentPath(url: "/my-attachment")],
    )

    /// Content that never came from a gateway. Its properties are those of `UNNotificationContent`, and it has no size
    /// limit. The attachments of the array are rewritten in place.
    package static let localContent = Dialect(
        name: "content",
        title: "Local notification content",
        source: "Apple, UNMutableNotificationContent and UNNotificationAttachment",
        layout: RequestLayout(
            mark: "/attachments/*/url",
            payloads: nil,
            gate: GateRule(alerts: ["/title", "/subtitle", "/body"]),
            category: "/categoryIdentifier",
            measure: .nothing,
        ),
        paths: [
            AttachmentPath(
                url: "/attachments/*/url",
                identifiers: ["/attachments/*/identifier"],
                companions: [
                    CompanionField("/attachments/*/identifier", .identifier, implied: ""),
                    CompanionField("/attachments/*/type", .typeIdentifier, implied: ""),
                    .typeHint(below: "/attachments/*/options"),
                ],
                options: .userNotifications(below: "/attachments/*/options"),
                list: nil,
            )
        ],
    )

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

    /// The message that a web app's service worker shows: the options of `showNotification`, alone, in `options` beside
    /// the title, or in `notification` as Angular and declarative web push have it. A push service takes 4096 bytes of
    /// encrypted message, in which 3993 are left for the text (RFC 8291, section 4).
    ///
    /// Browsers show WebP and iPhones do not, so only a message with an option that no other service knows is a web push.
    package static let webPush = Dialect(
        name: "web-push",
        title: "Web Push, options of a notification",
        source: "mdn/content@b0e2eb4, ServiceWorkerRegistration.showNotification; angular/angular, "
            + "packages/service-worker/worker/src/driver.ts",
        layout: RequestLayout(
            mark: RequestMark(arrayLiteral: titles, pictures)
                .with(
                    roots.flatMap { root in
                        ["vibrate", "requireInteraction", "renotify", "actions/*/action"].map { "\(root)/\($0)" }
                    } + ["/subscription/endpoint", "/keys/p256dh"],
                    // A badge that is a number is that of an app.
                    texts: roots.map { "\($0)/badge" }
                )
                .without(foreign),
            payloads: nil,
            gate: .alwaysOpen,
            measure: webPushMeasure,
        ),
        paths: roots.flatMap { root in
            // The page's service worker gets all of the message, and with it the array.
            [.other("\(root)/image", list: "/attachments", profile: "webpush")]
                + ["icon", "badge", "actions/*/icon"].map { .other("\(root)/\($0)", profile: "webpush-icon") }
        },
    )

    /// Declarative web push, whose main reader is Safari. Its members are those of the standard, so it gets no array.
    package static let declarativeWebPush = Dialect(
        name: "declarative-web-push",
        title: "Declarative Web Push",
        source: "w3c/push-api, Declarative push message; WebKit/explainers, DeclarativeWebPush",
        layout: RequestLayout(
            mark: [["/web_push"], ["/notification/title"]],
            payloads: nil,
            gate: .alwaysOpen,
            measure: webPushMeasure,
        ),
        paths: [AttachmentPath(url: "/notification/image", isAbsolute: true, list: nil)]
            + icons(below: "/notification"),
    )

    /// A title with a picture, as senders of their own write it. An iPhone may be behind it, so the pictures are such that all
    /// phones and browsers show them.
    package static let message = Dialect(
        name: "message",
        title: "Message with a title and a picture",
        source: "mdn/content@b0e2eb4, ServiceWorkerRegistration.showNotification",
        layout: RequestLayout(
            mark: RequestMark(arrayLiteral: titles, pictures).without(foreign),
            payloads: nil,
            gate: .alwaysOpen,
            measure: webPushMeasure,
        ),
        paths: roots.flatMap { root in
            [AttachmentPath(url: "\(root)/image", isAbsolute: true)] + icons(below: root)
        },
    )

    /// The small pictures of a notification, which all phones and browsers show.
    private static func icons(below root: String) -> [AttachmentPath] {
        ["icon", "badge", "actions/*/icon"].map {
            AttachmentPath(url: "\(root)/\($0)", isAbsolute: true, list: nil, profile: "webpush-icon")
        }
    }

    private static let roots = ["", "/options", "/notification"]
    private static let titles: [JSONPattern] = ["/title", "/notification/title"]
    private static let pictures: [JSONPattern] = roots.flatMap { root in
        ["image", "icon", "badge", "actions"].map { "\(root)/\($0)" }
    }
    private static let foreign: [JSONPattern] = [
        "/apns", "/android", "/to", "/registration_ids", "/mutable_content", "/mutableContent", "/fid", "/fids",
    ]
    private static let webPushMeasure = RequestLayout.Measure(root: "", sums: [[""]], overhead: 103)
}
