/// What holds a decoder process in, one layer over the other.
package enum SandboxLayer: String, Sendable, Hashable, CaseIterable {
    /// No program that it starts could get more rights.
    case noNewPrivileges = "no-new-privileges"
    /// No process of the same user can read its memory or attach to it.
    case notDumpable = "not-dumpable"
    /// None of the superuser's powers.
    case noCapabilities = "no-capabilities"
    /// A network stack of its own, without any interface.
    case emptyNetwork = "empty-network"
    /// A root folder with nothing in it.
    case emptyRoot = "empty-root"
    /// The kernel refuses every path, whatever the root folder holds.
    case landlock
    /// Bounds on memory, processor time, written bytes, descriptors and core files.
    case resourceLimits = "resource-limits"
    /// A bound on the number of threads of all decoder processes, by their user.
    case threadLimit = "thread-limit"
    /// A bound on the number of threads of all decoder processes, by a control group.
    case controlGroup = "control-group"
    /// It dies with the process that forked it.
    case parentDeathSignal = "parent-death-signal"
    /// A short list of system calls; any other is the end.
    case systemCallFilter = "system-call-filter"
}

/// Which layers hold one decoder process in.
package struct SandboxReport: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case on
        /// Left out on purpose.
        case off
        /// The host lacks it, or forbids it; the text says why in a few words of ASCII.
        case unavailable(String)
    }

    private var states: [SandboxLayer: State] = [:]

    package init() {}

    /// A layer that was never set is off.
    package subscript(layer: SandboxLayer) -> State {
        get { states[layer] ?? .off }
        set { states[layer] = newValue }
    }

    /// The layers that are not on, and that somebody who insists on the sandbox cannot do without.
    ///
    /// Landlock is one of them only where the root folder is not empty: it refuses paths, and an empty root has none. The
    /// bounds on threads are not among them: without them, the memory that threads take bounds their number.
    package var missing: [SandboxLayer] {
        SandboxLayer.allCases.filter { layer in
            switch layer {
            case .threadLimit, .controlGroup: false
            case .landlock: self[layer] != .on && self[.emptyRoot] != .on
            default: self[layer] != .on
            }
        }
    }

    package static func == (left: SandboxReport, right: SandboxReport) -> Bool {
        SandboxLayer.allCases.allSatisfy { left[$0] == right[$0] }
    }
}

extension WireWriter {
    mutating func put(_ report: SandboxReport) {
        for layer in SandboxLayer.allCases {
            switch report[layer] {
            case .off: put(UInt8(0))
            case .on: put(UInt8(1))
            case .unavailable(let why):
                put(UInt8(2))
                put(why)
            }
        }
    }
}

extension WireReader {
    mutating func sandboxReport() throws(WireError) -> SandboxReport {
        var report = SandboxReport()
        for layer in SandboxLayer.allCases {
            switch try byte() {
            case 0: report[layer] = .off
            case 1: report[layer] = .on
            case 2: report[layer] = .unavailable(try text())
            case let other: throw .unknownCase(other)
            }
        }
        return report
    }
}
