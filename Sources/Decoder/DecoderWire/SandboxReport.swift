/// One of the layers that confine a decoder process.
package enum SandboxLayer: String, Sendable, Hashable, CaseIterable {
    /// Programs that the process starts cannot gain rights.
    case noNewPrivileges = "no-new-privileges"
    /// Other processes of the same user cannot read its memory or attach to it.
    case notDumpable = "not-dumpable"
    /// The process has none of the superuser's capabilities.
    case noCapabilities = "no-capabilities"
    /// The process has its own network stack, without any interface.
    case emptyNetwork = "empty-network"
    /// The root folder of the process is empty.
    case emptyRoot = "empty-root"
    /// The kernel refuses every path, whatever the root folder contains.
    case landlock
    /// Limits on memory, processor time, written bytes, descriptors, and core files.
    case resourceLimits = "resource-limits"
    /// A limit on the number of threads of all decoder processes, by their user.
    case threadLimit = "thread-limit"
    /// A limit on the number of threads of all decoder processes, by a control group.
    case controlGroup = "control-group"
    /// The process dies when the process that forked it dies.
    case parentDeathSignal = "parent-death-signal"
    /// A short list of allowed system calls. Any other call ends the process.
    case systemCallFilter = "system-call-filter"
}

/// The state of each layer for one decoder process.
package struct SandboxReport: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case on
        /// The layer is deliberately not used.
        case off
        /// The host does not have the layer or forbids it. The text gives the reason in a few words of ASCII.
        case unavailable(String)
    }

    private var states: [SandboxLayer: State] = [:]

    package init() {}

    /// The state of a layer. A layer that was never set is off.
    package subscript(layer: SandboxLayer) -> State {
        get { states[layer] ?? .off }
        set { states[layer] = newValue }
    }

    /// The layers that are not on and that `--require-sandbox` requires.
    ///
    /// Landlock is required only if the root folder is not empty: it refuses paths, and an empty root has none. The
    /// limits on threads are not required: without them, the memory that threads take limits their number.
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

extension SandboxReport: WireValue {
    func put(in writer: inout WireWriter) {
        for layer in SandboxLayer.allCases {
            switch self[layer] {
            case .off: writer.put(0 as UInt8)
            case .on: writer.put(1 as UInt8)
            case .unavailable(let why): writer.put(2 as UInt8, why)
            }
        }
    }

    init(reading reader: inout WireReader) throws(WireError) {
        self.init()
        for layer in SandboxLayer.allCases {
            switch try reader.byte() {
            case 0: self[layer] = .off
            case 1: self[layer] = .on
            case 2: self[layer] = .unavailable(try reader.read())
            case let other: throw .unknownCase(other)
            }
        }
    }
}
