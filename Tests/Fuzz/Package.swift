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
    static func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
        .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: strict)
    }
}

let package = Package(
    name: "fuzz",
    targets: [
        .systemLibrary(name: "CCurl", path: "Modules/CCurl"),
        .systemLibrary(name: "CSeccomp", path: "Modules/CSeccomp"),
        .target(name: "CLinux", path: "Modules/CLinux"),
        .module("Media", ["CLinux"]),
        .module("DecoderWire", ["Media"]),
        .module("Payloads", ["Media"]),
        .module("Downloads", ["Media", "CCurl"]),
        .module("Sandbox", ["DecoderWire", "CLinux", "CSeccomp"]),
        .module("Decoding", ["Media", "DecoderWire", "Sandbox", "CLinux"]),
        .module("RedisWire"),
        .target(name: "CFuzzer", path: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: ["CFuzzer", "Decoding", "DecoderWire", "Downloads", "Media", "Payloads", "RedisWire"],
            path: "Fuzz",
            swiftSettings: strict,
        ),
    ],
)
