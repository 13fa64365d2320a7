import Base
package import DecoderWire
package import Decoding
import Glibc
import Logging
package import Media

/// The observer of decoder processes.
package struct DecoderObserver: EventRecorder {
    private let time = Histogram("attachd_decoder_processor_seconds", "Processor time of each decoder process.")
    private let deaths = Counter(
        "attachd_decoder_deaths_total",
        "Decoder processes that died, by signal; 31 is a forbidden system call.",
        by: "signal",
        with: [SIGKILL, SIGSEGV, SIGSYS].map { "\($0)" },
    )
    private let replacements = Counter(
        "attachd_zygote_replacements_total",
        "Zygotes replaced because a decoder process crashed or sent invalid messages.",
    )
    private let forbiddenCalls = Counter(
        "attachd_forbidden_calls_total",
        "Forbidden system calls that decoder processes tried, by name; each ended its process.",
        by: "call",
    )
    private let formatOff = Gauge(
        "attachd_format_off",
        "1 while this input format or codec is switched off, 0 after it was switched on again.",
        by: "format",
    )
    private let formatChanges = Counter(
        "attachd_format_changes_total",
        "Changes to the list of formats and codecs that are switched off.",
    )
    private let formatRefusals = Counter(
        "attachd_format_refusals_total",
        "Sources refused because their format or one of their codecs is switched off, by format.",
        by: "format",
    )
    private let formatStops = Counter(
        "attachd_format_stops_total",
        "Decoder processes ended because a format or codec was switched off, by format.",
        by: "format",
    )
    private let layers = Gauge(
        "attachd_sandbox_layer",
        "1 if this layer of the sandbox confines the decoder processes, otherwise 0.",
        by: "layer",
        with: SandboxLayer.allCases.map(\.rawValue),
    )
    private let log: WarningLog

    init(log: WarningLog) { self.log = log }

    package func record(_ event: DecoderEvent) {
        switch event {
        case .childReaped(_, let usage): time.record(.microseconds(usage.processorMicroseconds))
        case .childEnded(let pid, .killed(let signal)):
            deaths.add("\(signal)")
            if signal == SIGSYS {
                log.warn("A decoder process made a forbidden system call and was killed.", ["pid": "\(pid)"])
            } else {
                log.warn("A decoder process was killed.", ["pid": "\(pid)", "signal": "\(signal)"])
            }
        case .childEnded(let pid, .exited(let status)):
            log.warn("A decoder process ended by itself.", ["pid": "\(pid)", "status": "\(status)"])
        case .zygoteReplaced: replacements.add()
        case .zygoteMissing(let reason):
            log.warn("Decoder processes cannot be started.", level: .error, ["reason": "\(reason)"])
        case .forbiddenCall(let pid, let call):
            forbiddenCalls.add(call)
            log.warn(
                "A decoder process tried a forbidden system call.",
                ["pid": "\(pid.map(String.init) ?? "")", "call": "\(call)"],
            )
        case .formatsChanged(let change):
            formatChanges.add()
            set(change.switchedOff, to: 1)
            set(change.switchedOn, to: 0)
            log.warn(
                "Formats were switched off or on.",
                level: .notice,
                [
                    "off": Self.list(change.switchedOff), "on": Self.list(change.switchedOn),
                    "disabled": Self.list(change.disabled),
                ],
            )
        case .formatRefused(let format):
            formatRefusals.add(format.rawValue)
            log.warn("A source was refused because its format is switched off.", ["format": "\(format.rawValue)"])
        case .formatStopped(let format):
            formatStops.add(format.rawValue)
            log.warn("A decoder process was ended by a change of formats.disabled.", ["format": "\(format.rawValue)"])
        case .zygoteReady, .zygoteEnded: break
        }
    }

    package func set(_ sandbox: SandboxReport?) {
        for layer in SandboxLayer.allCases { layers.set(sandbox?[layer] == .on ? 1 : 0, layer.rawValue) }
    }

    /// Sets the gauges of the formats and codecs that are switched off, or that were.
    package func set(_ formats: DisabledFormats, to value: Int = 1) {
        for name in formats.names { formatOff.set(value, name) }
    }

    private static func list(_ formats: DisabledFormats) -> Logger.MetadataValue {
        "\(formats.names.joined(separator: ", "))"
    }
}
