/// The modules of each layer, and the modules of this package that each one may import.
enum Architecture {
    static let layers: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "Core": [
            "Values": "",
            "Timing": "CLinux Values",
            "Digests": "CCrypto Values",
            "Media": "CLinux Values Timing",
            "Payloads": "Values Media",
            "ServiceExtension": "Timing Media Payloads",
        ],
        "Decoder": [
            "DecoderWire": "Timing Media",
            "Sandbox": "CSeccomp CLinux DecoderWire",
            "Images": "CVips CVipsShim Values Timing Media DecoderWire",
            "AudioVideo": "CLibav Values Timing Media DecoderWire Images",
            "attachd-decoder": "Media DecoderWire Sandbox Images AudioVideo",
        ],
        "Stages": [
            "Downloads": "CCurl CPSL Values Timing Media",
            "Decoding": "CLinux Values Timing Media DecoderWire Sandbox",
            "Storage": "CLinux Values Timing Digests Media",
            "Publishing": "Values Timing Media Downloads Storage",
        ],
        "Pipeline": [
            "Processing": "Values Timing Media Payloads ServiceExtension"
        ],
        "Queue": [
            "Jobs": "Timing Media",
            "JobsSQLite": "Values Timing Media Storage Jobs",
            "RedisWire": "",
            "JobsRedis": "CCrypto Values Timing Media Jobs RedisWire",
            "Worker": "Timing Media Jobs",
        ],
        "Faces": [
            "Batch": "Values Timing Digests Media Payloads ServiceExtension Storage Processing Templates",
            "Preview": "Values Timing Digests Media Payloads ServiceExtension Storage Processing Templates",
            "Sidecar": "Values Timing Media Payloads Storage Jobs Processing Preview",
            "attachd": "Values Timing Media Payloads Storage Jobs Processing Batch App TestOrigin LoadTest",
        ],
        "Operations": [
            "Telemetry": "Values Media",
            "App":
                "CLinux Values Timing Digests Media DecoderWire Payloads ServiceExtension Downloads Decoding Storage Publishing Jobs JobsSQLite JobsRedis Processing Batch Worker Telemetry Preview Sidecar",
        ],
        "Tools": [
            "SeededRandom": "",
            "Templates": "",
            "TestOrigin": "Values Timing SeededRandom Media",
            "LoadTest": "CLinux Values Timing SeededRandom Media Payloads Jobs Templates",
        ],
    ]

    static var modules: [(layer: String, name: String, imports: Set<String>)] {
        layers.flatMap { layer, modules in
            modules.map { (layer, $0, Set($1.split(separator: " ").map(String.init))) }
        }
    }
}
