package import DecoderWire

/// How many decoder processes there are, and what each may use.
package struct DecoderPoolConfiguration: Sendable {
    /// The path of the program `attachd-decoder`.
    package var decoderPath: String
    /// How many processes are kept forked and warmed up ahead of their jobs.
    package var spares: Int
    /// The most processes that compute at once. Further jobs wait; those whose deadline is nearest come first.
    package var running: Int
    /// The memory that all processes may use together, by estimate.
    package var memoryBytes: Int
    /// What a process is taken to use before it has read its source's header: its own libraries' state and buffers.
    package var initialMemoryBytes: Int
    package var limits: ProcessLimits
    /// How long a process may take to get ready, and so may the zygote. Loading the libraries takes some 0.1 s.
    package var startLimit: Duration
    package var observe: @Sendable (DecoderEvent) -> Void

    package init(
        decoderPath: String,
        spares: Int = 2,
        running: Int = 2,
        memoryBytes: Int = 4_294_967_296,
        initialMemoryBytes: Int = 33_554_432,
        limits: ProcessLimits = ProcessLimits(),
        startLimit: Duration = .seconds(10),
        observe: @escaping @Sendable (DecoderEvent) -> Void = { _ in },
    ) {
        self.decoderPath = decoderPath
        self.spares = spares
        self.running = running
        self.memoryBytes = memoryBytes
        self.initialMemoryBytes = initialMemoryBytes
        self.limits = limits
        self.startLimit = startLimit
        self.observe = observe
    }
}

/// What happens to the processes, for metrics and logs.
package enum DecoderEvent: Sendable, Equatable {
    case zygoteReady(pid: Int)
    /// It was started, or ready, and is no more. Another one is started unless the pool was shut down.
    case zygoteEnded(ProcessEnding?)
    /// A decoder process crashed, so the next ones are forked from another zygote.
    case zygoteReplaced
    /// The zygote cannot be started.
    case zygoteMissing(String)
    /// A decoder process came to an end that was not the pool's doing: signal 31 is a forbidden system call.
    case childEnded(pid: Int, ProcessEnding)
    /// A decoder process is gone, whoever ended it: this is what it used.
    case childReaped(pid: Int, ProcessUsage)
}

/// How a pool stands at one moment.
package struct DecoderPoolStatus: Sendable, Equatable {
    /// Processes that wait for a job.
    package var spares: Int
    /// Jobs that compute.
    package var running: Int
    /// Jobs that wait for their turn.
    package var waiting: Int
    /// The memory that jobs have, by estimate.
    package var heldBytes: Int
    /// Processes that are not gone yet, whatever they do.
    package var children: Int
    package var zygotePID: Int?
    /// How often the zygote was started again.
    package var restarts: Int
    /// How often the zygote was replaced by another one because a decoder process crashed.
    package var replacements: Int
    /// What holds the newest process in; `nil` before the first one is ready.
    package var sandbox: SandboxReport?
}
