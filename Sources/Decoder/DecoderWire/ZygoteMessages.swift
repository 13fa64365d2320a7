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
        switch self {
        case .spawn(let child, let limits): WireWriter.packet(1, child, limits)
        }
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = try .spawn(child: reader.read(), limits: reader.read())
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension ZygoteReport: WireMessage {
    package var packet: [UInt8] {
        switch self {
        case .ready: WireWriter.packet(1)
        case .spawned(let child, let pid): WireWriter.packet(2, child, pid)
        case .couldNotSpawn(let child, let code): WireWriter.packet(3, child, code)
        case .exited(let child, let ending, let usage): WireWriter.packet(4, child, ending, usage)
        }
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = .ready
        case 2: self = try .spawned(child: reader.read(), pid: reader.read())
        case 3: self = try .couldNotSpawn(child: reader.read(), code: reader.read())
        case 4: self = try .exited(child: reader.read(), ending: reader.read(), usage: reader.read())
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension ProcessEnding: WireValue {
    func put(in writer: inout WireWriter) {
        switch self {
        case .exited(let status): writer.put(false, status)
        case .killed(let signal): writer.put(true, signal)
        }
    }

    init(reading reader: inout WireReader) throws(WireError) {
        self = try Bool(reading: &reader) ? .killed(signal: reader.read()) : .exited(status: reader.read())
    }
}

extension ProcessUsage: WireValue {
    func put(in writer: inout WireWriter) { writer.put(processorMicroseconds, peakMemoryBytes) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(processorMicroseconds: reader.read(), peakMemoryBytes: reader.read())
    }
}

extension ProcessLimits: WireValue {
    func put(in writer: inout WireWriter) { writer.put(memoryBytes, processorSeconds, outputBytes) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(memoryBytes: reader.read(), processorSeconds: reader.read(), outputBytes: reader.read())
    }
}
