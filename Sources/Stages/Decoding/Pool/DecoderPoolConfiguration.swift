package import Base
package import DecoderWire
package import Media

/// The numbers of decoder processes, and the resources of each.
package struct DecoderPoolConfiguration: Sendable {
    /// The path of the program `attachd-decoder`.
    package var decoderPath: String
    /// The number of processes that are kept forked and warmed up ahead of their jobs.
    package var spares: Int
    /// The most processes that compute at once. Further jobs wait; those with the nearest deadline come first.
    package var running: Int
    /// The memory for all processes together, in bytes, by estimate.
    package var memoryBytes: Int
    /// The memory that a process is assumed to use before it has read its source's header: its libraries' state and
    /// buffers.
    package var initialMemoryBytes: Int
    package static let initialMemoryBytes = 33_554_432
    package var limits: ProcessLimits
    /// The time in which a process must become ready, and the zygote too. Loading the libraries takes about 0.1 s.
    package var startLimit: Duration
    /// The time before its deadline at which a decoder is told to finish the output at hand.
    package var notice: Duration = .milliseconds(100)
    /// The lines in which tenants take turns.
    package var tenants = TenantLines()
    /// The formats and codecs that are switched off.
    package var formats: FormatSwitch
    package var recorder: any EventRecorder<DecoderEvent>

    package init(
        decoderPath: String,
        spares: Int = 2,
        running: Int = 2,
        memoryBytes: Int = 4_294_967_296,
        initialMemoryBytes: Int = Self.initialMemoryBytes,
        limits: ProcessLimits = ProcessLimits(),
        startLimit: Duration = .seconds(10),
        formats: FormatSwitch = FormatSwitch(),
        recorder: any EventRecorder<DecoderEvent> = NoRecorder<DecoderEvent>(),
    ) {
        self.decoderPath = decoderPath
        self.spares = spares
        self.running = running
        self.memoryBytes = memoryBytes
        self.initialMemoryBytes = initialMemoryBytes
        self.limits = limits
        self.startLimit = startLimit
        self.formats = formats
        self.recorder = recorder
    }
}

/// Events of the decoder processes, for metrics and logs.
package enum DecoderEvent: Sendable, Equatable {
    case zygoteReady(pid: Int)
    /// A zygote ended that was started or ready. Another one is started unless the pool was shut down.
    case zygoteEnded(ProcessEnding?)
    /// A decoder process crashed, so the next ones are forked from another zygote.
    case zygoteReplaced
    /// The zygote cannot be started.
    case zygoteMissing(String)
    /// A decoder process ended, and not by the pool's doing. Signal 31 is a forbidden system call.
    case childEnded(pid: Int, ProcessEnding)
    /// A decoder process tried a system call of this name, which the filter forbids; it is killed.
    case forbiddenCall(pid: Int?, String)
    /// A decoder process is gone, whatever ended it, and used these resources.
    case childReaped(pid: Int, ProcessUsage)
    /// Formats or codecs were switched off or on.
    case formatsChanged(FormatSwitch.Change)
    /// A source was refused because its format, or a codec in it, is switched off.
    case formatRefused(MediaFormat)
    /// A decoder process was ended because its source's format, or a codec that may be in it, was switched off.
    case formatStopped(MediaFormat)
}

/// The state of a pool at one moment.
package struct DecoderPoolStatus: Sendable, Equatable {
    /// The number of processes that wait for a job.
    package var spares: Int
    /// The number of jobs that compute.
    package var running: Int
    /// The number of jobs that wait for their turn.
    package var waiting: Int
    /// The memory that jobs hold, in bytes, by estimate.
    package var heldBytes: Int
    /// The number of processes that are not gone yet, whatever they do.
    package var children: Int
    package var zygotePID: Int?
    /// The number of times that the zygote was started again.
    package var restarts: Int
    /// The number of times that the zygote was replaced because a decoder process crashed.
    package var replacements: Int
    /// The sandbox of the newest process, or `nil` before the first one is ready.
    package var sandbox: SandboxReport?
}
