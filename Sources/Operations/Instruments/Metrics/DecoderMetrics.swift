package import DecoderWire
package import Decoding
import Events
import Glibc
package import Media
import Metrics
import Telemetry

/// The metrics of decoder processes.
package struct DecoderMetrics: Instrument {
    static let help = [
        "attachd_decoder_processor_seconds": "Processor time of each decoder process.",
        "attachd_decoder_deaths_total": "Decoder processes that died, by signal; 31 is a forbidden system call.",
        "attachd_zygote_replacements_total":
            "Zygotes replaced because a decoder process crashed or sent invalid messages.",
        "attachd_forbidden_calls_total":
            "Forbidden system calls that decoder processes tried, by name; each ended its process.",
        "attachd_format_off": "1 if this input format or codec is switched off, 0 if it was.",
        "attachd_format_changes_total": "Changes of the formats and codecs that are switched off.",
        "attachd_format_refusals_total":
            "Sources refused because their format, or a codec in them, is switched off, by format.",
        "attachd_format_stops_total": "Decoder processes ended because a format or codec was switched off, by format.",
        "attachd_sandbox_layer": "1 if this layer of the sandbox confines the decoder processes, otherwise 0.",
    ]

    private let registry: PrometheusRegistry
    private let time: Metrics.Timer
    private let replacements: Counter
    private let changes: Counter
    private let layers: [SandboxLayer: Meter]

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        time = registry.timer("attachd_decoder_processor")
        replacements = registry.counter("attachd_zygote_replacements")
        changes = registry.counter("attachd_format_changes")
        layers = Dictionary(
            uniqueKeysWithValues: SandboxLayer.allCases.map { layer in
                let dimensions = [("layer", layer.rawValue)]
                return (layer, registry.meter("attachd_sandbox_layer", dimensions))
            }
        )
        // Creates these counters before the first death: a rule on the increase would otherwise miss it.
        for signal in [SIGKILL, SIGSEGV, SIGSYS] { countDeath(by: Int(signal), 0) }
    }

    package func record(_ event: DecoderEvent) {
        switch event {
        case .childReaped(_, let usage): time.record(duration: .microseconds(usage.processorMicroseconds))
        case .childEnded(_, .killed(let signal)): countDeath(by: Int(signal), 1)
        case .zygoteReplaced: replacements.increment()
        case .forbiddenCall(_, let call):
            registry.counter("attachd_forbidden_calls", [("call", call)]).increment()
        case .formatsChanged(let change):
            changes.increment()
            set(change.switchedOff, to: 1)
            set(change.switchedOn, to: 0)
        case .formatRefused(let format): count("attachd_format_refusals", format)
        case .formatStopped(let format): count("attachd_format_stops", format)
        case .childEnded(_, .exited), .zygoteReady, .zygoteEnded, .zygoteMissing: break
        }
    }

    package func set(_ sandbox: SandboxReport?) {
        for (layer, meter) in layers { meter.set(sandbox?[layer] == .on ? 1 : 0) }
    }

    /// Sets the gauges of the formats and codecs that are switched off, or that were.
    package func set(_ formats: DisabledFormats, to value: Double = 1) {
        for name in formats.names { registry.meter("attachd_format_off", [("format", name)]).set(value) }
    }

    private func count(_ name: String, _ format: MediaFormat) {
        registry.counter(name, [("format", format.rawValue)]).increment()
    }

    private func countDeath(by signal: Int, _ count: Int) {
        let dimensions = [("signal", "\(signal)")]
        registry.counter("attachd_decoder_deaths", dimensions).increment(by: count)
    }
}
