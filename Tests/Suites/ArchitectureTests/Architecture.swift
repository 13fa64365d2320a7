/// The modules of each layer, and the modules of this package that each one may import.
enum Architecture {
    static let layers: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "Core": [
            "Base": "CLinux CProcess",
            "Files": "CCrypto Base CLinux Media",
            "Media": "CLinux Base",
            "Payloads": "Base Media",
        ],
        "Decoder": [
            "DecoderWire": "Base Media",
            "Sandbox": "CSeccomp CLinux CProcess Base DecoderWire",
            "Images": "Base CVips CVipsShim Media DecoderWire",
            "AudioVideo": "CLibav Base Media DecoderWire Images",
            "attachd-decoder": "Base Media DecoderWire Sandbox Images AudioVideo",
        ],
        "Stages": [
            "HTTPClient": "CLinux CCrypto CCurl CPSL Base Media Files CAres",
            "Downloads": "CZlib HTTPClient Base Media",
            "Decoding": "CLinux Base Media DecoderWire Sandbox",
            "Storage": "CLinux Base Files Media HTTPClient",
        ],
        "Pipeline": [
            "Processing": "Base Media Payloads"
        ],
        "Queue": [
            "Jobs": "Base Media Payloads Processing",
            "JobsSQLite": "Base Media Files Jobs",
            "JobsRedis": "CCrypto Base HTTPClient Files Media Jobs",
        ],
        "Faces": [
            "Batch": "Base Files Media Payloads Processing Templates",
            "Preview": "Base Files Media Payloads Processing Templates",
            "Sidecar": "Base Files Media Payloads Storage Jobs Processing Preview",
        ],
        "Operations": [
            "Observability":
                "Base Media Files Payloads DecoderWire Processing HTTPClient Decoding Storage Jobs Sidecar",
            "Settings":
                "Base HTTPClient Media Files Payloads Downloads Storage Jobs JobsSQLite JobsRedis Processing Observability Preview",
        ],
        "Program": [
            "App":
                "Base Media Files DecoderWire HTTPClient Downloads Decoding Storage Settings CLinux Payloads Processing Jobs Batch Observability Preview Sidecar",
            "attachd":
                "Base Media Files Payloads Storage Jobs Processing Batch Observability Settings App LoadTest Templates",
        ],
        "Tools": [
            "Templates": "",
            "LoadTest": "Base Media CLinux Payloads Jobs Templates",
        ],
    ]

    static var modules: [(layer: String, name: String, imports: Set<String>)] {
        layers.flatMap { layer, modules in
            modules.map { (layer, $0, Set($1.split(separator: " ").map(String.init))) }
        }
    }
}
