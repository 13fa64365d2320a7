/// The files that the page loads, embedded in the program.
package enum PreviewAssets {
    package struct Asset: Sendable {
        package var bytes: [UInt8]
        package var type: String
    }

    private static let all: [String: Asset] = [
        "page.css": Asset(bytes: PackageResources.page_css, type: style),
        "notification.css": Asset(bytes: PackageResources.notification_css, type: style),
        "icon.svg": Asset(bytes: PackageResources.icon_svg, type: "image/svg+xml"),
        "page.js": Asset(bytes: PackageResources.page_js, type: script),
        "json.js": Asset(bytes: PackageResources.json_js, type: script),
        "link.js": Asset(bytes: PackageResources.link_js, type: script),
        "stage.js": Asset(bytes: PackageResources.stage_js, type: script),
        "lease.js": Asset(bytes: PackageResources.lease_js, type: script),
        "thumbnail.js": Asset(bytes: PackageResources.thumbnail_js, type: script),
        "layout.js": Asset(bytes: PackageResources.layout_js, type: script),
        "responses.js": Asset(bytes: PackageResources.responses_js, type: script),
        "exchange.js": Asset(bytes: PackageResources.exchange_js, type: script),
    ]

    private static let style = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"

    package static func asset(named name: String) -> Asset? { all[name] }
}
