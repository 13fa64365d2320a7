import DecoderWire
import Sandbox

/// One forked decoder process that waits for its job.
struct DecoderChild: Sendable {
    /// The pool's number for the process, never used twice.
    var number: Int
    /// The number of the zygote that forked the process.
    var zygote: Int
    var pid: Int
    var process: ProcessHandle
    var line: PacketSocket
    var sandbox: SandboxReport
    /// Yields the process's end once, or nothing if its zygote ended with it.
    var endings: AsyncStream<ProcessEnding>
}
