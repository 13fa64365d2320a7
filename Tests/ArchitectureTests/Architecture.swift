/// The modules of each layer, and the modules of this package that each one may import.
enum Architecture {
    static let layers: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "Core": [
            "Values": "",
            "Concurrency": "",
            "Events": "",
            "Machine": "CLinux CProcess",
            "Timing": "CLinux Values Concurrency",
            "Names": "CAres CLinux Values Concurrency Timing",
            "Digests": "CCrypto Values",
            "Media": "CLinux Values Concurrency Events Timing",
            "Files": "CLinux Values Concurrency Timing Digests Media",
            "Payloads": "Values Media",
            "ServiceExtension": "Concurrency Timing Media",
        ],
        "Decoder": [
            "DecoderWire": "Values Timing Media",
            "Sandbox": "CSeccomp CLinux CProcess Values Machine DecoderWire",
            "Colours": "Values",
            "Images": "CVips CVipsShim Values Timing Media DecoderWire Colours",
            "AudioVideo": "CLibav Values Timing Media DecoderWire Colours",
            "attachd-decoder": "Values Machine Media DecoderWire Sandbox Images AudioVideo",
        ],
        "Stages": [
            "HTTPClient": "CLinux Names CCrypto CCurl CPSL Values Concurrency Events Machine Timing Media Files",
            "Downloads": "Names Values Events Timing Media HTTPClient",
            "Decoding": "CLinux Values Concurrency Events Timing Media DecoderWire Sandbox",
            "Storage": "CLinux Values Concurrency Events Timing Digests Media Files",
            "Publishing": "Values Events Timing Media HTTPClient",
        ],
        "Pipeline": [
            "Processing": "Values Concurrency Events Timing Media Payloads ServiceExtension"
        ],
        "Queue": [
            "Jobs": "Values Timing Media",
            "JobsSQLite": "Values Concurrency Events Timing Media Files Jobs",
            "JobsRedis": "CCrypto Values Concurrency Events Machine Timing Names Digests Media Jobs",
            "Worker": "Values Concurrency Events Timing Media Payloads Jobs Processing",
        ],
        "Faces": [
            "Batch": "Values Concurrency Timing Digests Media Files Payloads ServiceExtension Processing Templates",
            "Preview": "Values Timing Digests Media Payloads ServiceExtension Processing Templates",
            "Sidecar": "Values Events Timing Digests Media Files Payloads Storage Jobs Processing Preview",
            "attachd":
                "Values Events Machine Timing Media Files Payloads Storage Jobs Processing Batch Traces Settings Doctor App TestOrigin LoadTest Templates",
        ],
        "Operations": [
            "Telemetry": "Values Media",
            "Traces": "Values Concurrency Events Timing Digests Payloads",
            "Instruments":
                "Events Timing Media DecoderWire Payloads ServiceExtension HTTPClient Decoding Storage Publishing Jobs Processing Worker Telemetry Traces Sidecar Values",
            "Settings":
                "Values Machine Timing Names Media Files Payloads HTTPClient Downloads Storage Publishing JobsRedis Processing Telemetry Preview",
            "Doctor":
                "Machine Timing Media Files DecoderWire HTTPClient Downloads Decoding Storage Publishing Settings",
            "App":
                "CLinux Values Concurrency Events Machine Timing Digests Media Files DecoderWire Payloads ServiceExtension HTTPClient Downloads Decoding Storage Publishing Jobs JobsSQLite JobsRedis Processing Batch Worker Telemetry Traces Preview Sidecar Instruments Settings Doctor",
        ],
        "Tools": [
            "SeededRandom": "",
            "Templates": "",
            "TestOrigin": "Values Events Timing SeededRandom Media",
            "LoadTest": "CLinux Values Concurrency Machine Timing SeededRandom Media Payloads Jobs Templates",
        ],
    ]

    static var modules: [(layer: String, name: String, imports: Set<String>)] {
        layers.flatMap { layer, modules in
            modules.map { (layer, $0, Set($1.split(separator: " ").map(String.init))) }
        }
    }
}
