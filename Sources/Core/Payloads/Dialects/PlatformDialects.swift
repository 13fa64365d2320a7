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
    /// Browsers show WebP and iPhones do not, so a message with keys of other services is not a web push.
    package static let webPush = Dialect(
        name: "web-push",
        title: "Web Push, options of a notification",
        source: "mdn/content@b0e2eb4, ServiceWorkerRegistration.showNotification; angular/angular, "
            + "packages/service-worker/worker/src/driver.ts",
        layout: RequestLayout(
            mark: RequestMark(
                arrayLiteral: ["/title", "/notification/title"],
                roots.flatMap { root in ["image", "icon", "badge", "actions"].map { "\(root)/\($0)" } }
            )
            .without([
                "/apns", "/android", "/to", "/registration_ids", "/mutable_content", "/mutableContent", "/fid", "/fids",
            ]),
            payloads: nil,
            gate: .alwaysOpen,
            measure: RequestLayout.Measure(root: "", sums: [[""]], overhead: 103),
        ),
        paths: roots.flatMap { root in
            // The page's service worker gets all of the message, and with it the array.
            [.other("\(root)/image", list: "/attachments", profile: "webpush")]
                + ["icon", "badge", "actions/*/icon"].map { .other("\(root)/\($0)", profile: "webpush-icon") }
        },
    )

    private static let roots = ["", "/options", "/notification"]
}
