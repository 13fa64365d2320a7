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
        .systemLibrary(name: "CSeccomp", path: "Modules/C/CSeccomp"),
        .systemLibrary(name: "CCrypto", path: "Modules/C/CCrypto"),
        .target(name: "CLinux", path: "Modules/C/CLinux"),
        .target(name: "CProcess", path: "Modules/C/CProcess"),
        .module("Values", in: "Core"),
        .module("Concurrency", in: "Core"),
        .module("Events", in: "Core"),
        .module("Machine", in: "Core", ["CLinux", "CProcess"]),
        .module("Timing", in: "Core", ["Concurrency", "CLinux", "Values"]),
        .module("Names", in: "Core", ["Values", "Concurrency", "Timing", "CLinux", "CAres"]),
        .module("Digests", in: "Core", ["CCrypto", "Values"]),
        .module("SeededRandom", in: "Tools"),
        .module("Media", in: "Core", ["Concurrency", "Events", "CLinux", "Values", "Timing"]),
        .module("Files", in: "Core", ["Concurrency", "CLinux", "Values", "Timing", "Digests", "Media"]),
        .module("DecoderWire", in: "Decoder", ["Values", "Timing", "Media"]),
        .module("Payloads", in: "Core", ["Values", "Media"]),
        .module(
            "HTTPClient",
            in: "Stages",
            [
                "Values", "Concurrency", "Events", "Machine", "Timing", "Names", "CLinux", "CCrypto", "CCurl", "CPSL",
                "Media", "Files",
            ]
        ),
        .module(
            "Downloads",
            in: "Stages",
            ["Values", "Events", "Timing", "Names", "Media", "HTTPClient"]
        ),
        .module("Sandbox", in: "Decoder", ["Values", "Machine", "CLinux", "CProcess", "CSeccomp", "DecoderWire"]),
        .module(
            "Decoding",
            in: "Stages",
            ["Concurrency", "Events", "CLinux", "Values", "Timing", "Media", "DecoderWire", "Sandbox"]
        ),
        // The parser of replies, and nothing that connects.
        .module("JobsRedis", in: "Queue", sources: ["Wire"]),
        .module(
            "Storage",
            in: "Stages",
            ["Concurrency", "CLinux", "Values", "Events", "Timing", "Digests", "Media", "Files"]
        ),
        .module("ServiceExtension", in: "Core", ["Concurrency", "Timing", "Media"]),
        .module(
            "Processing",
            in: "Pipeline",
            ["Values", "Concurrency", "Events", "Timing", "Media", "Payloads", "ServiceExtension"]
        ),
        .module("Templates", in: "Tools", [.product(name: "Mustache", package: "swift-mustache")]),
        .module(
            "Preview",
            in: "Faces",
            [
                "Values", "Timing", "Digests", "Media", "Payloads", "ServiceExtension", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: ["Assets", "Templates", "Samples"],
        ),
        .module(
            "Batch",
            in: "Faces",
            [
                "Values", "Concurrency", "Timing", "Digests", "Media", "Files", "Payloads", "ServiceExtension",
                "Processing", "Templates", .product(name: "Mustache", package: "swift-mustache"),
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
            [
                "Values", "Timing", "SeededRandom", "Media", "Payloads", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            sources: [
                "Results/Budget+Judging.swift", "Results/Budget.swift", "Results/Change.swift",
                "Results/Distribution.swift", "Results/Figures.swift",
                "Targets/LoadAnswer+JSON.swift", "Targets/LoadAnswer.swift", "Results/LoadResult.swift",
                "Results/RunSettings.swift",
                "LoadTestError.swift",
                "Generator/NotificationMix.swift", "Reports", "Generator/ArrivalSchedule.swift",
                "Results/StepResult.swift", "Generator/Weighted.swift",
            ],
            resources: ["Templates"],
        ),
        .target(name: "CFuzzer", path: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", "Values", "Timing", "Names", "Media", "DecoderWire", "Payloads", "ServiceExtension",
                "HTTPClient", "Downloads", "Decoding",
                "JobsRedis", "Processing", "Batch", "Preview", "LoadTest",
            ],
            path: "Fuzz",
            swiftSettings: strict,
        ),
    ],
)
