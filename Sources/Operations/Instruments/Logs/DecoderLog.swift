package import Decoding
import DecoderWire
import Events
import Logging
import Media

/// The log of decoder processes that died.
package struct DecoderLog: Instrument {
    /// The signal with which the filter of system calls ends a process.
    private static let forbiddenCall = 31

    private let log: WarningLog

    package init(_ log: WarningLog) { self.log = log }

    package func record(_ event: DecoderEvent) {
        switch event {
        case .childEnded(let pid, .killed(signal: Self.forbiddenCall)):
            log.warn("A decoder process made a forbidden system call and was killed.", ["pid": "\(pid)"])
        case .childEnded(let pid, .killed(signal: let signal)):
            log.warn("A decoder process was killed.", ["pid": "\(pid)", "signal": "\(signal)"])
        case .childEnded(let pid, .exited(status: let status)):
            log.warn("A decoder process ended by itself.", ["pid": "\(pid)", "status": "\(status)"])
        case .zygoteMissing(let reason):
            log.warn("Decoder processes cannot be started.", level: .error, ["reason": "\(reason)"])
        case .forbiddenCall(let pid, let call):
            log.warn(
                "A decoder process tried a forbidden system call.",
                ["pid": "\(pid.map(String.init) ?? "")", "call": "\(call)"],
            )
        case .formatsChanged(let change):
            let metadata: [(String, DisabledFormats)] = [
                ("off", change.switchedOff), ("on", change.switchedOn), ("disabled", change.disabled),
            ]
            log.warn(
                "Formats were switched off or on.",
                level: .notice,
                Dictionary(uniqueKeysWithValues: metadata.map { ($0, "\($1.names.joined(separator: ", "))") }),
            )
        case .formatRefused(let format):
            log.warn("A source was refused because its format is switched off.", ["format": "\(format.rawValue)"])
        case .formatStopped(let format):
            log.warn("A decoder process was ended by a change of formats.disabled.", ["format": "\(format.rawValue)"])
        case .zygoteReady, .zygoteEnded, .zygoteReplaced, .childReaped: break
        }
    }
}
