/// A message from the worker to the zygote, from which decoder processes are forked.
package enum ZygoteCommand: Sendable, Equatable {
    /// Forks a decoder process with this number. The message carries the process's end of its socket.
    case spawn(child: Int, limits: ProcessLimits)
}

/// A message from the zygote to the worker.
package enum ZygoteReport: Sendable, Equatable {
    /// The libraries are loaded. The zygote can fork decoder processes.
    case ready
    /// A decoder process was forked. The message carries a descriptor of the process, with which the worker can kill
    /// it.
    case spawned(child: Int, pid: Int)
    case couldNotSpawn(child: Int, code: Int)
    case exited(child: Int, ending: ProcessEnding, usage: ProcessUsage)
}

/// The resource limits of one decoder process.
package struct ProcessLimits: Sendable, Equatable {
    package var memoryBytes: Int
    package var processorSeconds: Int
    /// The largest offset to which the process may write in any file.
    package var outputBytes: Int

    package init(memoryBytes: Int = 2_147_483_648, processorSeconds: Int = 30, outputBytes: Int = 64_000_000) {
        self.memoryBytes = memoryBytes
        self.processorSeconds = processorSeconds
        self.outputBytes = outputBytes
    }
}

/// The way in which a process ended.
package enum ProcessEnding: Sendable, Equatable {
    case exited(status: Int)
    case killed(signal: Int)
}

/// The resources that a process had used when it ended.
package struct ProcessUsage: Sendable, Equatable {
    /// The processor time of all its threads, in user and kernel mode.
    package var processorMicroseconds: Int
    /// The largest resident memory at one time, including the memory shared with the zygote.
    package var peakMemoryBytes: Int

    package init(processorMicroseconds: Int, peakMemoryBytes: Int) {
        self.processorMicroseconds = processorMicroseconds
        self.peakMemoryBytes = peakMemoryBytes
    }
}

extension ZygoteCommand: WireMessage {
    package var packet: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .spawn(let child, let limits):
            writer.put(UInt8(1))
            writer.put(child)
            writer.put(limits.memoryBytes)
            writer.put(limits.processorSeconds)
            writer.put(limits.outputBytes)
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = .spawn(child: try reader.count(), limits: try reader.processLimits())
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension ZygoteReport: WireMessage {
    package var packet: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .ready:
            writer.put(UInt8(1))
        case .spawned(let child, let pid):
            writer.put(UInt8(2))
            writer.put(child)
            writer.put(pid)
        case .couldNotSpawn(let child, let code):
            writer.put(UInt8(3))
            writer.put(child)
            writer.put(code)
        case .exited(let child, let ending, let usage):
            writer.put(UInt8(4))
            writer.put(child)
            writer.put(ending)
            writer.put(usage.processorMicroseconds)
            writer.put(usage.peakMemoryBytes)
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = .ready
        case 2: self = .spawned(child: try reader.count(), pid: try reader.count())
        case 3: self = .couldNotSpawn(child: try reader.count(), code: try reader.count())
        case 4:
            self = .exited(
                child: try reader.count(),
                ending: try reader.processEnding(),
                usage: try reader.processUsage(),
            )
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension WireWriter {
    fileprivate mutating func put(_ ending: ProcessEnding) {
        switch ending {
        case .exited(let status):
            put(false)
            put(status)
        case .killed(let signal):
            put(true)
            put(signal)
        }
    }
}

extension WireReader {
    fileprivate mutating func processEnding() throws(WireError) -> ProcessEnding {
        try flag() ? .killed(signal: count()) : .exited(status: count())
    }

    fileprivate mutating func processUsage() throws(WireError) -> ProcessUsage {
        ProcessUsage(processorMicroseconds: try count(), peakMemoryBytes: try count())
    }

    fileprivate mutating func processLimits() throws(WireError) -> ProcessLimits {
        ProcessLimits(memoryBytes: try count(), processorSeconds: try count(), outputBytes: try count())
    }
}
