// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "NotificationAttachments",
    platforms: [.iOS(.v15)],
    products: [.library(name: "NotificationAttachments", targets: ["NotificationAttachments"])],
    targets: [.target(name: "NotificationAttachments")]
)

#if os(Linux)
// On Linux, modules of the same names stand in for Apple's frameworks, so that the sources build as they are in Xcode.
let standIns = [
    "AVFoundation": ["UIKit"], "CryptoKit": [], "ImageIO": ["UIKit"], "UIKit": [], "UserNotifications": [],
    "UserNotificationsUI": ["UIKit", "UserNotifications"],
]
package.targets[0].dependencies = standIns.keys.sorted().map { .init(stringLiteral: $0) }
package.targets += standIns.sorted { $0.key < $1.key }.map { name, needs in
    .target(name: name, dependencies: needs.map { .init(stringLiteral: $0) }, path: "StandIns/\(name)")
}
// Digests of whole movies take minutes without optimization.
package.targets.first { $0.name == "CryptoKit" }?.swiftSettings = [.unsafeFlags(["-O"])]
package.targets += ["NotificationContent", "NotificationService"].map {
    .target(name: $0, dependencies: ["NotificationAttachments"], path: "Extensions/\($0)", exclude: ["Info.plist"])
}
package.targets.append(
    .testTarget(
        name: "NotificationAttachmentsTests",
        dependencies: ["NotificationAttachments", "NotificationContent", "NotificationService"],
        exclude: ["faulty.py"]
    )
)
#endif
