// swift-tools-version: 6.2
import PackageDescription

// The worker's own parsers under libFuzzer, which comes with the Swift toolchain. A package by itself because all of it
// has to be built with coverage; `Scripts/fuzz` does that. The modules are those of the main package.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

extension Target {
    /// `sources` are all there are, if not said otherwise.
    static func module(
        _ name: String,
        _ dependencies: [Target.Dependency] = [],
        sources: [String]? = nil,
        resources: [String] = [],
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Modules/\(name)",
            sources: sources,
            resources: resources.map { .embedInCode($0) },
            swiftSettings: strict,
        )
    }
}

let package = Package(
    name: "fuzz",
    dependencies: [.package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1")],
    targets: [
        .systemLibrary(name: "CCurl", path: "Modules/CCurl"),
        .systemLibrary(name: "CPSL", path: "Modules/CPSL"),
        .systemLibrary(name: "CSeccomp", path: "Modules/CSeccomp"),
        .systemLibrary(name: "CCrypto", path: "Modules/CCrypto"),
        .target(name: "CLinux", path: "Modules/CLinux"),
        .module("Media", ["CLinux"]),
        .module("DecoderWire", ["Media"]),
        .module("Payloads", ["Media"]),
        .module("Downloads", ["Media", "CCurl", "CPSL"]),
        .module("Sandbox", ["DecoderWire", "CLinux", "CSeccomp"]),
        .module("Decoding", ["Media", "DecoderWire", "Sandbox", "CLinux"]),
        .module("RedisWire"),
        .module("Storage", ["Media", "CCrypto", "CLinux"]),
        .module("ServiceExtension", ["Media", "Payloads"]),
        .module("Processing", ["Media", "Payloads", "ServiceExtension"]),
        .module("Templates", [.product(name: "Mustache", package: "swift-mustache")]),
        .module(
            "Preview",
            [
                "Media", "Payloads", "ServiceExtension", "Storage", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: ["Assets", "Templates", "Samples"],
        ),
        .module(
            "Batch",
            [
                "Media", "Payloads", "Storage", "ServiceExtension", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [
                "Templates/head.mustache", "Templates/row.mustache", "Templates/tail.mustache", "Templates/style.css",
                "Templates/script.js",
            ],
        ),
        // What reads and shows results, and nothing that sends.
        .module(
            "LoadTest",
            ["Media", "Payloads", "Templates", .product(name: "Mustache", package: "swift-mustache")],
            sources: [
                "Budget+Judging.swift", "Budget.swift", "Change.swift", "Distribution.swift", "Figures.swift",
                "LoadAnswer+JSON.swift", "LoadAnswer.swift", "LoadResult.swift", "LoadTestError.swift",
                "NotificationMix.swift", "Reports", "Schedule.swift", "StepResult.swift", "Weighted.swift",
            ],
            resources: ["Templates"],
        ),
        .target(name: "CFuzzer", path: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Batch", "CFuzzer", "Decoding", "DecoderWire", "Downloads", "LoadTest", "Media", "Payloads", "Preview",
                "Processing", "RedisWire", "ServiceExtension",
            ],
            path: "Fuzz",
            swiftSettings: strict,
        ),
    ],
)
