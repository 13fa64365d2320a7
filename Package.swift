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
            path: "Tests/Suites/\(name)",
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
        // For tests: a disk that hangs.
        .library(name: "HeldDisk", type: .dynamic, targets: ["CHeldDisk"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
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
        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", providers: [.apt(["zlib1g-dev"])]),
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

        // The core. The decoder links `Base` and `Media`, so they have neither Foundation nor OpenSSL.
        .module("Base", in: "Core", ["CLinux", "CProcess"]),
        .module("Media", in: "Core", ["Base", "CLinux"], resources: [.embedInCode("Samples")]),
        .module("Files", in: "Core", ["Base", "CLinux", "Media", "CCrypto"]),
        .module("DecoderWire", in: "Decoder", ["Base", "Media"]),
        .module("Payloads", in: "Core", ["Base", "Media"]),

        // The stages: one module each, with one C library.
        .module(
            "HTTPClient",
            in: "Stages",
            ["Base", "CLinux", "CCrypto", "CCurl", "CPSL", "Media", "Files", "CAres"]
        ),
        .module("Downloads", in: "Stages", ["Base", "CZlib", "HTTPClient", "Media"]),
        .module("Sandbox", in: "Decoder", ["Base", "CLinux", "CProcess", "CSeccomp", "DecoderWire"]),

        .module(
            "Images",
            in: "Decoder",
            ["Base", "CVips", "CVipsShim", "Media", "DecoderWire"]
        ),
        .module("AudioVideo", in: "Decoder", ["Base", "CLibav", "Media", "DecoderWire", "Images"]),
        .module(
            "Decoding",
            in: "Stages",
            ["Base", "CLinux", "Media", "DecoderWire", "Sandbox"]
        ),
        .module(
            "Storage",
            in: "Stages",
            ["Base", "Files", "CLinux", "Media", "HTTPClient"]
        ),

        // The pipeline, which knows only the protocols of the stages. Start reading here.
        .module(
            "Processing",
            in: "Pipeline",
            ["Base", "Media", "Payloads"]
        ),

        // The queue: its contract, one engine for a single machine, and one for many.
        .module(
            "Jobs",
            in: "Queue",
            [
                "Base", "Media", "Payloads", "Processing",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .module(
            "JobsSQLite",
            in: "Queue",
            ["Base", "Media", "Files", "Jobs", .product(name: "GRDB", package: "GRDB.swift")]
        ),
        .module(
            "JobsRedis",
            in: "Queue",
            [
                "Base", "HTTPClient", "Files", "CCrypto", "Media", "Jobs",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.embedInCode("Lua")],
        ),

        .module("Templates", in: "Tools", [.product(name: "Mustache", package: "swift-mustache")]),
        .module(
            "Batch",
            in: "Faces",
            [
                "Base", "Files", "Media", "Payloads", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [
                .embedInCode("Templates/head.mustache"), .embedInCode("Templates/row.mustache"),
                .embedInCode("Templates/summary.mustache"), .embedInCode("Templates/table.mustache"),
                .embedInCode("Templates/tail.mustache"), .embedInCode("Templates/style.css"),
                .embedInCode("Templates/script.js"),
            ],
        ),

        .module(
            "Preview",
            in: "Faces",
            [
                "Base", "Files", "Media", "Payloads", "Processing", "Templates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Assets"), .embedInCode("Templates"), .embedInCode("Samples")],
        ),
        .module(
            "Sidecar",
            in: "Faces",
            [
                "Base", "Files", "Media", "Payloads", "Storage", "Jobs", "Processing", "Preview",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("openapi.json")],
        ),
        .module(
            "Observability",
            in: "Operations",
            [
                "Base", "Media", "DecoderWire", "Files", "Payloads", "HTTPClient", "Decoding", "Storage", "Jobs",
                "Processing", "Sidecar", .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .module(
            "Settings",
            in: "Operations",
            [
                "Base", "HTTPClient", "Media", "Files", "Payloads", "Downloads", "Storage", "Jobs", "JobsSQLite",
                "JobsRedis", "Processing",
                "Observability", "Preview", .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Yams", package: "Yams"),
            ],
        ),

        .module(
            "App",
            in: "Program",
            [
                "Base", "Files", "CLinux", "Media", "DecoderWire", "Payloads", "Processing", "HTTPClient", "Downloads",
                "Decoding", "Storage", "Jobs", "Batch", "Observability", "Preview",
                "Sidecar", "Settings", .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
        ),

        // The tools for tests: an origin that misbehaves, and a load test.

        .module(
            "LoadTest",
            in: "Tools",
            [
                "Base", "CLinux", "Media", "Payloads", "Jobs", "Templates",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Mustache", package: "swift-mustache"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Yams", package: "Yams"),
            ],
            resources: [.embedInCode("Templates")],
        ),

        // The two programs.
        .program(
            "attachd",
            [
                "Base", "Media", "Files", "Payloads", "Storage", "Jobs", "Processing", "Batch", "Observability",
                "Settings", "App", "LoadTest", "Templates",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Program/attachd"
        ),
        .program(
            "attachd-decoder",
            ["Base", "Media", "DecoderWire", "Sandbox", "Images", "AudioVideo"],
            path: "Sources/Decoder/attachd-decoder"
        ),

        // The tests.
        .target(
            name: "Support",
            dependencies: ["Base", "Media", "DecoderWire"],
            path: "Tests/Kit/Support",
            swiftSettings: strict
        ),
        .target(
            name: "JobsContract",
            dependencies: ["Base", "Jobs", "Media", "Support"],
            path: "Tests/Kit/JobsContract",
            swiftSettings: strict,
        ),
        .target(
            name: "FleetMemory",
            dependencies: ["Jobs", "Base"],
            path: "Tests/Kit/FleetMemory",
            swiftSettings: strict,
        ),
        .target(
            name: "FleetDay",
            dependencies: ["Jobs", "Base"],
            path: "Tests/Kit/FleetDay",
            swiftSettings: strict,
        ),
        .target(name: "CForbiddenCalls", path: "Tests/Kit/CForbiddenCalls"),
        .target(name: "CHeldDisk", path: "Tests/Kit/CHeldDisk"),
        .program(
            "evil-decoder",
            ["Base", "Media", "DecoderWire", "Sandbox", "CForbiddenCalls"],
            path: "Tests/Programs/EvilDecoder"
        ),
        .program(
            "queue-program",
            ["Base", "Media", "Jobs", "Settings"],
            path: "Tests/Programs/QueueProgram"
        ),
        .target(name: "CSimulation", path: "Tests/Kit/CSimulation"),
        .target(
            name: "Simulation",
            dependencies: [
                "Base", "Files", "Media", "DecoderWire", "Sandbox", "Payloads", "Processing", "HTTPClient", "Downloads",
                "Decoding", "Jobs", "FleetMemory", "CSimulation",
            ],
            path: "Tests/Kit/Simulation",
            swiftSettings: strict,
        ),
        .program("simulate", ["Files", "CSimulation", "Simulation"], path: "Tests/Programs/Simulate"),
        .program("store-forever", ["Media", "Storage"], path: "Tests/Programs/StoreForever"),
        .program(
            "request-path",
            [
                "Base", "Media", "Payloads", "Downloads", "Processing", "Sidecar", "Observability",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/Programs/RequestPath"
        ),
        .tests("ArchitectureTests", []),
        .tests("ValuesTests", ["Base", "Media"]),
        .tests("ConcurrencyTests", ["Base"]),
        .tests("EventsTests", ["Base"]),
        .tests("MachineTests", ["Base"]),
        .tests("TimingTests", ["Base", "Media"]),
        .tests("NamesTests", ["Base", "Media", "HTTPClient", "Downloads"]),
        .tests("MediaTests", ["Base", "Media"]),
        .tests("FilesTests", ["Base", "Media", "Files"]),
        .tests("PayloadsTests", ["Base", "Media", "Payloads"], resources: [.copy("Golden")]),
        .tests("HTTPClientTests", ["Base", "Media", "HTTPClient"]),
        .tests(
            "DownloadsTests",
            ["Base", "HTTPClient", "Media", "Files", "Downloads"]
        ),
        .tests("DecoderWireTests", ["Base", "Media", "DecoderWire"]),
        .tests("ColorsTests", ["Images"]),
        .tests("ImagesTests", ["Base", "CVips", "Media", "DecoderWire", "Images", "Decoding"]),
        .tests("AudioVideoTests", ["Base", "Media", "DecoderWire", "Images", "AudioVideo", "Decoding"]),
        .tests("DecodingTests", ["Base", "Media", "DecoderWire", "Sandbox", "Decoding"]),
        .tests("HostileTests", ["Base", "Media", "DecoderWire", "Decoding"]),
        .tests("StorageTests", ["Base", "Files", "Media", "Storage"]),
        .tests("PublishingTests", ["Base", "Files", "Media", "HTTPClient", "Storage"]),
        .tests(
            "JobsSQLiteTests",
            ["Base", "Media", "Jobs", "JobsSQLite", "JobsContract", .product(name: "GRDB", package: "GRDB.swift")]
        ),
        .tests(
            "JobsRedisTests",
            [
                "Base", "HTTPClient", "Media", "Jobs", "JobsRedis", "JobsContract", "FleetMemory",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
        ),
        .tests("AttachmentWorkTests", ["Base", "Media", "Processing"]),
        .tests("ProcessingTests", ["Base", "Media", "Payloads", "Processing"]),
        .tests("TemplatesTests", ["Templates", .product(name: "Mustache", package: "swift-mustache")]),
        .tests("BatchTests", ["Base", "Files", "Media", "Payloads", "Processing", "Batch"]),
        .tests(
            "WorkerTests",
            ["Base", "Media", "Jobs", "JobsSQLite", "Processing", "FleetDay"]
        ),
        .tests("SimulationTests", []),
        .tests("TelemetryTests", ["Observability"]),
        .tests("TracesTests", ["Base", "Payloads", "Observability"]),
        .tests(
            "ObserversTests",
            [
                "Base", "Media", "DecoderWire", "HTTPClient", "Decoding", "Storage", "Processing", "Jobs", "Sidecar",
                "Observability", .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .tests("DoctorTests", ["Media", "DecoderWire", "App"]),
        .tests(
            "SettingsTests",
            ["Base", "HTTPClient", "Media", "Files", "Downloads", "Storage", "Jobs", "Processing", "Settings"]
        ),
        .tests("TestOriginTests", ["Base", "Media", "LoadTest"]),
        .tests("LoadTestTests", ["Base", "Media", "Payloads", "LoadTest"]),
        .tests(
            "SidecarTests",
            [
                "Base", "Media", "Payloads", "Processing", "Storage", "Jobs", "Preview", "Sidecar",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
        ),
        .tests("PreviewTests", ["Base", "Media", "Payloads", "Storage", "Preview"]),
        .tests("PreviewBrowserTests", ["Base", "Payloads", "Preview"]),
        .tests(
            "AppTests",
            [
                "Base", "Media", "HTTPClient", "Downloads", "Storage", "JobsRedis", "Preview", "Sidecar", "Settings",
                "App", "LoadTest", "Jobs", "FleetMemory", .product(name: "Logging", package: "swift-log"),
            ],
        ),
        .tests(
            "EndToEndTests",
            ["Base", "Files", "Media", "Payloads", "Settings", "Storage"],
            resources: [.copy("Golden")]
        ),
    ],
)
