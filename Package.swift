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
        in layer: String,
        _ dependencies: [Target.Dependency] = [],
        resources: [Resource] = [],
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Sources/\(layer)/\(name)",
            resources: resources,
            swiftSettings: strict,
        )
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

// Each target depends only on targets above it.
let package = Package(
    name: "attachd",
    products: [
        .executable(name: "attachd", targets: ["attachd"]),
        .executable(name: "attachd-decoder", targets: ["attachd-decoder"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // The C libraries, and the few C functions that Swift needs.
        .systemLibrary(name: "CCurl", path: "Sources/C/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPSL", path: "Sources/C/CPSL", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CAres", path: "Sources/C/CAres", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CSeccomp", path: "Sources/C/CSeccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CCrypto", path: "Sources/C/CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CVips", path: "Sources/C/CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
        .target(
            name: "CVipsShim",
            dependencies: ["CVips"],
            path: "Sources/C/CVipsShim",
            // The tests scale many pictures. Without optimization that takes ten times as long.
            cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("webp")],
        ),
        .systemLibrary(
            name: "CLibav",
            path: "Sources/C/CLibav",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswscale-dev", "libswresample-dev"])],
        ),
        .target(name: "CLinux", path: "Sources/C/CLinux"),
        // The handler of forbidden calls must keep its values in registers and call no function.
        .target(
            name: "CProcess",
            path: "Sources/C/CProcess",
            cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
        ),

        // The core without C libraries and, below `Payloads`, without Foundation.
        .module("Values", in: "Core", []),
        .module("Concurrency", in: "Core", []),
        .module("Events", in: "Core", []),
        .module("Machine", in: "Core", ["CLinux", "CProcess"]),
        .module("Timing", in: "Core", ["Values", "Concurrency", "CLinux"]),
        .module("Names", in: "Core", ["Values", "Concurrency", "Timing", "CLinux", "CAres"]),
        .module("Digests", in: "Core", ["Values", "CCrypto"]),
        .module("SeededRandom", in: "Tools", []),
        .module("Media", in: "Core", ["Values", "Concurrency", "Events", "Timing", "CLinux"]),
        .module("Files", in: "Core", ["Values", "Concurrency", "Timing", "Digests", "CLinux", "Media"]),
        .module("DecoderWire", in: "Decoder", ["Values", "Timing", "Media"]),
        .module("Payloads", in: "Core", ["Values", "Media"]),
        .module("ServiceExtension", in: "Core", ["Concurrency", "Timing", "Media"]),

        // The stages: one module each, with one C library.
        .module(
            "HTTPClient",
            in: "Stages",
            [
                "Values", "Concurrency", "Events", "Machine", "Timing", "Names", "CLinux", "CCrypto", "CCurl", "CPSL",
                "Media",
                "Files",
            ]
        ),
        .module("Downloads", in: "Stages", ["Values", "Events", "Timing", "Names", "Media", "HTTPClient"]),
        .module("Sandbox", in: "Decoder", ["Values", "Machine", "CLinux", "CProcess", "CSeccomp", "DecoderWire"]),
        .module("Colours", in: "Decoder", ["Values"]),
        .module(
            "Images",
            in: "Decoder",
            ["Values", "Timing", "CVips", "CVipsShim", "Media", "DecoderWire", "Colours"]
        ),
        .module("AudioVideo", in: "Decoder", ["Values", "Timing", "CLibav", "Media", "DecoderWire", "Colours"]),
        .module(
            "Decoding",
            in: "Stages",
            ["Values", "Concurrency", "Events", "Timing", "CLinux", "Media", "DecoderWire", "Sandbox"]
        ),
        .module(
            "Storage",
            in: "Stages",
            ["Values", "Concurrency", "Events", "Timing", "Digests", "CLinux", "Media", "Files"]
        ),

        .module("Publishing", in: "Stages", ["Values", "Events", "Timing", "Media", "HTTPClient"]),

        // The queue: its contract, one engine for a single machine, and one for many.
        .module("Jobs", in: "Queue", ["Values", "Timing", "Media"]),
        .module(
            "JobsSQLite",
            in: "Queue",
            [
                "Values", "Concurrency", "Events", "Timing", "Media", "Files", "Jobs",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .module(
            "JobsRedis",
            in: "Queue",
            [
                "Values", "Concurrency", "Events", "Machine", "Timing", "Names", "Digests", "CCrypto", "Media", "Jobs",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
        ),

        // The pipeline, which knows only the protocols of the stages. Start reading here.
        .module(
            "Processing",
            in: "Pipeline",
            ["Values", "Concurrency", "Events", "Timing", "Media", "Payloads", "ServiceExtension"]
        ),
        .module("Templates", in: "Tools", [.product(name: "Mustache", package: "swift-mustache")]),
        .module(
            "Batch",
            in: "Faces",
            [
                "Values", "Concurrency", "Timing", "Digests", "Media", "Files", "Payloads", "ServiceExtension",
                "Processing", "Templates", .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [
                .embedInCode("Templates/head.mustache"), .embedInCode("Templates/row.mustache"),
                .embedInCode("Templates/summary.mustache"), .embedInCode("Templates/table.mustache"),
                .embedInCode("Templates/tail.mustache"), .embedInCode("Templates/style.css"),
                .embedInCode("Templates/script.js"),
            ],
        ),
        .module(
            "Worker",
            in: "Queue",
            [
                "Values", "Concurrency", "Events", "Timing", "Media", "Payloads", "Jobs", "Processing",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
        ),
        .module(
            "Telemetry",
            in: "Operations",
            [
                "Values", "Media", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .module(
            "Traces",
            in: "Operations",
            [
                "Values", "Concurrency", "Events", "Timing", "Digests", "Payloads",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .module(
            "Preview",
            in: "Faces",
            [
                "Values", "Timing", "Digests", "Media", "Payloads", "ServiceExtension", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Assets"), .embedInCode("Templates"), .embedInCode("Samples")],
        ),
        .module(
            "Sidecar",
            in: "Faces",
            [
                "Values", "Events", "Timing", "Digests", "Media", "Files", "Payloads", "Storage", "Jobs", "Processing",
                "Preview",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            resources: [.embedInCode("openapi.json")],
        ),
        .module(
            "Instruments",
            in: "Operations",
            [
                "Values", "Events", "Timing", "Media", "DecoderWire", "Payloads", "ServiceExtension", "HTTPClient",
                "Decoding", "Storage", "Publishing", "Jobs", "Processing", "Worker", "Telemetry", "Traces", "Sidecar",
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
        ),
        .module(
            "Settings",
            in: "Operations",
            [
                "Values", "Machine", "Timing", "Names", "Media", "Files", "Payloads", "HTTPClient", "Downloads",
                "Storage",
                "Publishing", "JobsRedis", "Processing", "Telemetry", "Preview",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Yams", package: "Yams"),
            ],
        ),
        .module(
            "Doctor",
            in: "Operations",
            [
                "Machine", "Timing", "Media", "Files", "DecoderWire", "HTTPClient", "Downloads", "Decoding", "Storage",
                "Publishing", "Settings",
            ],
        ),
        .module(
            "App",
            in: "Operations",
            [
                "Values", "Concurrency", "Events", "Machine", "Timing", "Digests", "CLinux", "Media", "Files",
                "DecoderWire", "Payloads", "ServiceExtension", "HTTPClient", "Downloads", "Decoding", "Storage",
                "Publishing", "Jobs",
                "JobsSQLite", "JobsRedis",
                "Processing", "Batch", "Worker", "Telemetry", "Traces", "Preview", "Sidecar", "Instruments", "Settings",
                "Doctor", .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
        ),

        // The tools for tests: an origin that misbehaves, and a load test.
        .module(
            "TestOrigin",
            in: "Tools",
            [
                "Values", "Events", "Timing", "SeededRandom", "Media", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Yams", package: "Yams"),
            ],
        ),
        .module(
            "LoadTest",
            in: "Tools",
            [
                "Values", "Concurrency", "Machine", "Timing", "CLinux", "SeededRandom", "Media", "Payloads", "Jobs",
                "Templates",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Mustache", package: "swift-mustache"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.embedInCode("Templates")],
        ),

        // The two programs.
        .program(
            "attachd",
            [
                "Values", "Events", "Machine", "Timing", "Media", "Files", "Payloads", "Storage", "Jobs", "Processing",
                "Batch", "Traces", "Settings", "Doctor", "App", "TestOrigin", "LoadTest", "Templates",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Faces/attachd"
        ),
        .program(
            "attachd-decoder",
            ["Values", "Machine", "Media", "DecoderWire", "Sandbox", "Images", "AudioVideo"],
            path: "Sources/Decoder/attachd-decoder"
        ),

        // The tests.
        .target(
            name: "Support",
            dependencies: ["Events", "Media", "DecoderWire"],
            path: "Tests/Support",
            swiftSettings: strict
        ),
        .target(
            name: "JobsContract",
            dependencies: ["Jobs", "Media"],
            path: "Tests/JobsContract",
            swiftSettings: strict,
        ),
        .target(
            name: "FleetDay",
            dependencies: ["Jobs", "Worker", "SeededRandom"],
            path: "Tests/FleetDay",
            swiftSettings: strict,
        ),
        .target(name: "CForbiddenCalls", path: "Tests/CForbiddenCalls"),
        .program(
            "evil-decoder",
            ["Values", "Media", "DecoderWire", "Sandbox", "CForbiddenCalls"],
            path: "Tests/EvilDecoder"
        ),
        .program(
            "queue-program",
            ["Events", "Timing", "Media", "Jobs", "JobsSQLite", "JobsRedis", "Worker", "FleetDay"],
            path: "Tests/QueueProgram"
        ),
        .target(name: "CSimulation", path: "Tests/CSimulation"),
        .target(
            name: "Simulation",
            dependencies: [
                "Values", "Concurrency", "Events", "Timing", "Digests", "SeededRandom", "Media", "DecoderWire",
                "Sandbox",
                "Payloads", "ServiceExtension", "HTTPClient", "Downloads", "Decoding", "Jobs", "Processing", "Worker",
                "CSimulation",
            ],
            path: "Tests/Simulation",
            swiftSettings: strict,
        ),
        .program("simulate", ["Digests", "CSimulation", "Simulation"], path: "Tests/Simulate"),
        .program(
            "simulate-queues",
            ["Timing", "Jobs", "JobsSQLite", "JobsRedis", "CSimulation", "Simulation"],
            path: "Tests/SimulateQueues"
        ),
        .program("store-forever", ["Media", "Storage"], path: "Tests/StoreForever"),
        .tests("ArchitectureTests", []),
        .tests("ValuesTests", ["Values", "Timing", "Media"]),
        .tests("ConcurrencyTests", ["Concurrency"]),
        .tests("EventsTests", ["Events"]),
        .tests("MachineTests", ["Machine"]),
        .tests("TimingTests", ["Timing", "SeededRandom", "Media"]),
        .tests("NamesTests", ["Timing", "Names"]),
        .tests("MediaTests", ["Timing", "SeededRandom", "Media"]),
        .tests("FilesTests", ["Timing", "Media", "Files"]),
        .tests("PayloadsTests", ["Timing", "Media", "Payloads"], resources: [.copy("Golden")]),
        .tests("ServiceExtensionTests", ["Timing", "Media", "ServiceExtension"]),
        .tests("HTTPClientTests", ["Timing", "Media", "HTTPClient"]),
        .tests(
            "DownloadsTests",
            ["Values", "Events", "Timing", "Names", "SeededRandom", "Media", "Files", "HTTPClient", "Downloads"]
        ),
        .tests("DecoderWireTests", ["Timing", "SeededRandom", "Media", "DecoderWire"]),
        .tests("ColoursTests", ["Colours"]),
        .tests("ImagesTests", ["Timing", "CVips", "Media", "DecoderWire", "Colours", "Images", "Decoding"]),
        .tests("AudioVideoTests", ["Timing", "Media", "DecoderWire", "Images", "AudioVideo", "Decoding"]),
        .tests("DecodingTests", ["Events", "Timing", "SeededRandom", "Media", "DecoderWire", "Sandbox", "Decoding"]),
        .tests("HostileTests", ["Events", "Timing", "SeededRandom", "Media", "DecoderWire", "Decoding"]),
        .tests("StorageTests", ["Values", "Timing", "Digests", "Media", "Files", "Storage"]),
        .tests("PublishingTests", ["Values", "Timing", "Digests", "Media", "Files", "HTTPClient", "Publishing"]),
        .tests(
            "JobsSQLiteTests",
            ["Timing", "Media", "Jobs", "JobsSQLite", "JobsContract", .product(name: "GRDB", package: "GRDB.swift")]
        ),
        .tests(
            "JobsRedisTests",
            [
                "Values", "Timing", "Names", "SeededRandom", "Media", "Jobs", "JobsRedis", "JobsContract",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
        ),
        .tests("ProcessingTests", ["Values", "Timing", "Media", "Payloads", "ServiceExtension", "Processing"]),
        .tests("TemplatesTests", ["Templates", .product(name: "Mustache", package: "swift-mustache")]),
        .tests("BatchTests", ["Timing", "Files", "Media", "Payloads", "Processing", "Batch"]),
        .tests(
            "WorkerTests",
            [
                "Concurrency", "Timing", "SeededRandom", "Media", "Jobs", "JobsSQLite", "Processing", "Worker",
                "FleetDay",
            ]
        ),
        .tests("SimulationTests", []),
        .tests("TelemetryTests", ["Telemetry"]),
        .tests(
            "TracesTests",
            [
                "Values", "Events", "Timing", "Payloads", "Traces",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .tests(
            "InstrumentsTests",
            [
                "Events", "Timing", "DecoderWire", "HTTPClient", "Downloads", "Decoding", "Storage", "Publishing",
                "Jobs", "Worker",
                "Sidecar", "Instruments", .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .tests("DoctorTests", ["Media", "DecoderWire", "Doctor"]),
        .tests(
            "SettingsTests",
            ["Values", "Names", "Media", "Files", "HTTPClient", "Downloads", "Storage", "Processing", "Settings"]
        ),
        .tests("TestOriginTests", ["Timing", "SeededRandom", "Media", "TestOrigin"]),
        .tests("LoadTestTests", ["Timing", "SeededRandom", "Media", "Payloads", "LoadTest"]),
        .tests(
            "SidecarTests",
            [
                "Values", "Timing", "SeededRandom", "Media", "Payloads", "ServiceExtension", "Storage", "Jobs",
                "Processing", "Preview", "Sidecar", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
        ),
        .tests("PreviewTests", ["Values", "Timing", "Media", "Payloads", "Storage", "Preview"]),
        .tests("PreviewBrowserTests", ["Timing", "Payloads", "Preview"]),
        .tests(
            "AppTests",
            [
                "Values", "Media", "HTTPClient", "Downloads", "Storage", "Publishing", "JobsRedis", "Preview",
                "Sidecar",
                "Settings", "App", "LoadTest", "Jobs", "Timing", .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .tests(
            "EndToEndTests",
            ["Timing", "SeededRandom", "Media", "Payloads", "Settings"],
            resources: [.copy("Golden")]
        ),
    ],
)
