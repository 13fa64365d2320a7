// swift-tools-version: 6.2
import PackageDescription

// The worker's own parsers under libFuzzer, which comes with the Swift toolchain. This is a separate package because
// all of it must be built with coverage; `Scripts/fuzz` does that. The modules are those of the main package.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

extension Target {
    /// Returns a module of the main package. `nil` for `sources` takes all its files.
    static func module(
        _ name: String,
        in layer: String,
        _ dependencies: [Target.Dependency] = [],
        sources: [String]? = nil,
        resources: [String] = [],
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Modules/\(layer)/\(name)",
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
        .systemLibrary(name: "CCurl", path: "Modules/C/CCurl"),
        .systemLibrary(name: "CPSL", path: "Modules/C/CPSL"),
        .systemLibrary(name: "CAres", path: "Modules/C/CAres"),
        .systemLibrary(name: "CZlib", path: "Modules/C/CZlib"),
        .systemLibrary(name: "CSeccomp", path: "Modules/C/CSeccomp"),
        .systemLibrary(name: "CCrypto", path: "Modules/C/CCrypto"),
        .target(name: "CLinux", path: "Modules/C/CLinux"),
        .target(name: "CProcess", path: "Modules/C/CProcess"),
        .module("Base", in: "Core", ["CLinux", "CProcess"]),
        .module("Media", in: "Core", ["Base", "CLinux"], resources: ["Samples"]),
        .module("Files", in: "Core", ["Base", "CLinux", "Media", "CCrypto"]),
        .module("DecoderWire", in: "Decoder", ["Base", "Media"]),
        .module("Payloads", in: "Core", ["Base", "Media"]),
        .module(
            "HTTPClient",
            in: "Stages",
            ["Base", "CLinux", "CCrypto", "CCurl", "CPSL", "Media", "Files", "CAres"]
        ),
        .module(
            "Downloads",
            in: "Stages",
            ["Base", "CZlib", "HTTPClient", "Media"]
        ),
        .module("Sandbox", in: "Decoder", ["Base", "CLinux", "CProcess", "CSeccomp", "DecoderWire"]),
        .module(
            "Decoding",
            in: "Stages",
            ["Base", "CLinux", "Media", "DecoderWire", "Sandbox"]
        ),
        // The parser of replies, and nothing that connects.
        .module("JobsRedis", in: "Queue", sources: ["Connection/RedisReply.swift"]),
        .module(
            "Storage",
            in: "Stages",
            ["Base", "CLinux", "Files", "Media", "HTTPClient"]
        ),

        .module(
            "Processing",
            in: "Pipeline",
            ["Base", "Media", "Payloads"]
        ),
        .module("Templates", in: "Tools", [.product(name: "Mustache", package: "swift-mustache")]),
        .module(
            "Preview",
            in: "Faces",
            [
                "Base", "Files", "Media", "Payloads", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: ["Assets", "Templates", "Samples"],
        ),
        .module(
            "Batch",
            in: "Faces",
            [
                "Base", "Files", "Media", "Payloads", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [
                "Templates/head.mustache", "Templates/row.mustache", "Templates/summary.mustache",
                "Templates/table.mustache", "Templates/tail.mustache", "Templates/style.css",
                "Templates/script.js",
            ],
        ),
        // Only the files that read and show results, and none that send.
        .module(
            "LoadTest",
            in: "Tools",
            ["Base", "Media", "Payloads", "Templates", .product(name: "Mustache", package: "swift-mustache")],
            sources: [
                "Generator/ArrivalSchedule.swift", "Generator/NotificationMix.swift", "Reports",
                "Results", "Targets/LoadAnswer.swift",
            ],
            resources: ["Templates"],
        ),
        .target(name: "CFuzzer", path: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", "Base", "HTTPClient", "Media", "DecoderWire", "Payloads", "Processing", "Downloads",
                "Decoding", "JobsRedis", "Batch", "Preview", "LoadTest",
            ],
            path: "Fuzz",
            swiftSettings: strict,
        ),
    ],
)
