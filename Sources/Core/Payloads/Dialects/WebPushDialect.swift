extension Dialect {
    /// The message that a web app's service worker shows: the options of `showNotification`, alone, in `options` beside
    /// the title, or in `notification` as Angular and declarative web push have it. A push service takes 4096 bytes of
    /// encrypted message, in which 3993 are left for the text (RFC 8291, section 4).
    ///
    /// A browser shows WebP and an iPhone does not, so a message that other services' keys are in is none of these.
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
