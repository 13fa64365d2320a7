// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

extension Target {
    static func module(
        _ name: String,
        _ dependencies: [Target.Dependency] = [],
        resources: [Resource] = [],
    ) -> Target {
        .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
    }

    static func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
        .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
    }

    static func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
        .testTarget(
            name: name,
            dependencies: dependencies + ["Support"],
            resources: resources,
            swiftSettings: strict,
        )
    }
}

// Read from top to bottom: each target depends only on those above it.
let package = Package(
    name: "attachd",
    products: [
        .executable(name: "attachd", targets: ["attachd"]),
        .executable(name: "attachd-decoder", targets: ["attachd-decoder"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // C libraries, and the few lines of C that Swift cannot say.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPSL", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CSeccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
        .target(name: "CVipsShim", dependencies: ["CVips"]),
        .systemLibrary(
            name: "CLibav",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswscale-dev", "libswresample-dev"])],
        ),
        .target(name: "CLinux"),

        // The pure core: no C library, no Foundation below `Payloads`.
        .module("Media", ["CLinux"]),
        .module("DecoderWire", ["Media"]),
        .module("Payloads", ["Media"]),
        .module("ServiceExtension", ["Media", "Payloads"]),

        // One stage, one module, one C library.
        .module("Downloads", ["Media", "CCurl", "CPSL"]),
        .module("Sandbox", ["DecoderWire", "CLinux", "CSeccomp"]),
        .module("Images", ["Media", "DecoderWire", "CVips", "CVipsShim"]),
        .module("AudioVideo", ["Media", "DecoderWire", "Images", "CLibav"]),
        .module("Decoding", ["Media", "DecoderWire", "Sandbox", "CLinux"]),
        .module("Storage", ["Media", "CCrypto", "CLinux"]),

        .module("Publishing", ["Media", "Downloads", "Storage"]),

        // The queue: its contract, and an engine for one machine and one for many.
        .module("Jobs", ["Media"]),
        .module("JobsSQLite", ["Jobs", "Media", "Storage", .product(name: "GRDB", package: "GRDB.swift")]),
        .module("RedisWire"),
        .module(
            "JobsRedis",
            [
                "Jobs", "Media", "RedisWire", "CCrypto",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
        ),

        // The pipeline knows no stage's implementation, only its protocol. Start reading here.
        .module("Processing", ["Media", "Payloads", "ServiceExtension"]),
        .module("Templates", [.product(name: "Mustache", package: "swift-mustache")]),
        .module(
            "Batch",
            [
                "Media", "Payloads", "Storage", "ServiceExtension", "Processing",
                "Templates", .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [
                .embedInCode("Templates/head.mustache"), .embedInCode("Templates/row.mustache"),
                .embedInCode("Templates/tail.mustache"), .embedInCode("Templates/style.css"),
                .embedInCode("Templates/script.js"),
            ],
        ),
        .module(
            "Worker",
            ["Jobs", "Media", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")],
        ),
        .module(
            "Telemetry",
            [
                "Media", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .module(
            "Preview",
            [
                "Media", "Payloads", "ServiceExtension", "Storage", "Processing",
                "Templates", .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Assets"), .embedInCode("Templates"), .embedInCode("Samples")],
        ),
        .module(
            "Sidecar",
            [
                "Media", "Payloads", "Storage", "Jobs", "Processing", "Preview",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("openapi.json")],
        ),
        .module(
            "App",
            [
                "Media", "Payloads", "ServiceExtension", "Downloads", "Decoding", "Storage", "Publishing", "Jobs",
                "JobsSQLite", "JobsRedis", "Processing", "Batch", "Worker", "Telemetry", "Preview", "Sidecar", "CLinux",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
        ),

        // What tests are made with: an origin that misbehaves, and a load that is measured.
        .module(
            "TestOrigin",
            [
                "Media",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Yams", package: "Yams"),
            ],
        ),
        .target(
            name: "LoadTest",
            dependencies: [
                "Media", "Payloads", "Jobs", "CLinux",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                "Templates", .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.embedInCode("Templates")],
            swiftSettings: strict,
        ),

        // The two programs.
        .program(
            "attachd",
            [
                "App", "Batch", "LoadTest", "TestOrigin", "Jobs", "Media", "Storage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
        ),
        .program("attachd-decoder", ["Media", "DecoderWire", "Sandbox", "Images", "AudioVideo"]),

        // Tests.
        .target(name: "Support", dependencies: ["Media", "DecoderWire"], path: "Tests/Support", swiftSettings: strict),
        .target(
            name: "JobsContract",
            dependencies: ["Jobs", "Media"],
            path: "Tests/JobsContract",
            swiftSettings: strict,
        ),
        .target(name: "CForbiddenCalls", path: "Tests/CForbiddenCalls"),
        .program("evil-decoder", ["CForbiddenCalls", "Media", "DecoderWire", "Sandbox"], path: "Tests/EvilDecoder"),
        .program("queue-program", ["Jobs", "JobsRedis", "JobsSQLite", "Worker", "Media"], path: "Tests/QueueProgram"),
        .program("store-forever", ["Media", "Storage"], path: "Tests/StoreForever"),
        .tests("MediaTests", ["Media"]),
        .tests("PayloadsTests", ["Payloads"], resources: [.copy("Golden")]),
        .tests("ServiceExtensionTests", ["ServiceExtension", "Payloads", "Media"]),
        .tests("DownloadsTests", ["Downloads", "Media"]),
        .tests("DecoderWireTests", ["DecoderWire", "Media"]),
        .tests("ImagesTests", ["Images", "DecoderWire", "Media", "CVips"]),
        .tests("AudioVideoTests", ["AudioVideo", "Images", "DecoderWire", "Media"]),
        .tests("DecodingTests", ["Decoding", "DecoderWire", "Sandbox", "Media"]),
        .tests("HostileTests", ["Decoding", "DecoderWire", "Media"]),
        .tests("StorageTests", ["Storage", "Media"]),
        .tests("PublishingTests", ["Publishing", "Downloads", "Storage", "Media"]),
        .tests("JobsSQLiteTests", ["JobsSQLite", "JobsContract", "Jobs", "Media"]),
        .tests("RedisWireTests", ["RedisWire"]),
        .tests(
            "JobsRedisTests",
            [
                "JobsContract", "JobsRedis", "Jobs", "RedisWire", "Media",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
        ),
        .tests("ProcessingTests", ["Processing", "Payloads", "ServiceExtension", "Media"]),
        .tests("TemplatesTests", ["Templates", .product(name: "Mustache", package: "swift-mustache")]),
        .tests("BatchTests", ["Batch", "Processing", "Payloads", "Media"]),
        .tests("WorkerTests", ["Worker", "JobsSQLite", "Jobs", "Media"]),
        .tests("TelemetryTests", ["Telemetry"]),
        .tests("TestOriginTests", ["TestOrigin", "Media"]),
        .tests("LoadTestTests", ["LoadTest", "Payloads", "Media"]),
        .tests(
            "SidecarTests",
            [
                "Sidecar", "Preview", "Storage", "Processing", "ServiceExtension", "Payloads", "Media",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
        ),
        .tests("PreviewTests", ["Preview", "Storage", "Payloads", "Media"]),
        .tests("PreviewBrowserTests", ["Preview", "Payloads"]),
        .tests(
            "AppTests",
            [
                "App", "Downloads", "Storage", "Publishing", "JobsRedis", "Preview", "Sidecar", "LoadTest", "Payloads",
                "Processing", "Media", .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .tests("EndToEndTests", ["Payloads", "Media"], resources: [.copy("Golden")]),
    ],
)
