// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
]
let package = Package(
    name: "attachd",
    targets: [
        .target(name: "CLinux", path: "Sources/C/CLinux"), .target(name: "CProcess", path: "Sources/C/CProcess"),
        .target(name: "Base", dependencies: ["CLinux", "CProcess"], path: "Sources/Core/Base", swiftSettings: strict),
        .target(name: "Media", dependencies: ["Base", "CLinux"], path: "Sources/Core/Media", resources: [.embedInCode("Samples")], swiftSettings: strict),
        .target(name: "Payloads", dependencies: ["Base", "Media"], path: "Sources/Core/Payloads", swiftSettings: strict),
        .target(name: "Processing", dependencies: ["Base", "Media", "Payloads"], path: "Sources/Pipeline/Processing", swiftSettings: strict),
        .testTarget(name: "AttachmentWorkTests", dependencies: ["Base", "Media", "Processing"], path: "Tests/Suites/AttachmentWorkTests", swiftSettings: strict),
    ]
)
