/// The modules of each layer, and the modules of this package that each one may import.
enum Architecture {
    static let layers: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "Core": [
            "Values": "",
            "Concurrency": "",
            "Timing": "CLinux Values Concurrency",
            "Digests": "CCrypto Values",
            "Media": "CLinux Values Concurrency Timing",
            "Payloads": "Values Media",
            "ServiceExtension": "Concurrency Timing Media Payloads",
        ],
        "Decoder": [
            "DecoderWire": "Timing Media",
            "Sandbox": "CSeccomp CLinux DecoderWire",
            "Images": "CVips CVipsShim Values Timing Media DecoderWire",
            "AudioVideo": "CLibav Values Timing Media DecoderWire Images",
            "attachd-decoder": "Media DecoderWire Sandbox Images AudioVideo",
        ],
        "Stages": [
            "Downloads": "CCurl CPSL Values Concurrency Timing Media",
            "Decoding": "CLinux Values Concurrency Timing Media DecoderWire Sandbox",
            "Storage": "CLinux Values Concurrency Timing Digests Media",
            "Publishing": "Values Timing Media Downloads Storage",
        ],
        "Pipeline": [
            "Processing": "Values Concurrency Timing Media Payloads ServiceExtension"
        ],
        "Queue": [
            "Jobs": "Timing Media",
            "JobsSQLite": "Values Concurrency Timing Media Storage Jobs",
            "RedisWire": "",
            "JobsRedis": "CCrypto Values Concurrency Timing Media Jobs RedisWire",
            "Worker": "Concurrency Timing Media Jobs",
        ],
        "Faces": [
            "Batch": "Values Concurrency Timing Digests Media Payloads ServiceExtension Storage Processing Templates",
            "Preview": "Values Timing Digests Media Payloads ServiceExtension Storage Processing Templates",
            "Sidecar": "Values Timing Media Payloads Storage Jobs Processing Preview",
            "attachd": "Values Timing Media Payloads Storage Jobs Processing Batch App TestOrigin LoadTest",
        ],
        "Operations": [
            "Telemetry": "Values Media",
            "App":
                "CLinux Values Concurrency Timing Digests Media DecoderWire Payloads ServiceExtension Downloads Decoding Storage Publishing Jobs JobsSQLite JobsRedis Processing Batch Worker Telemetry Preview Sidecar",
        ],
        "Tools": [
            "SeededRandom": "",
            "Templates": "",
            "TestOrigin": "Values Timing SeededRandom Media",
            "LoadTest": "CLinux Values Concurrency Timing SeededRandom Media Payloads Jobs Templates",
        ],
    ]

    static var modules: [(layer: String, name: String, imports: Set<String>)] {
        layers.flatMap { layer, modules in
            modules.map { (layer, $0, Set($1.split(separator: " ").map(String.init))) }
        }
    }
}
