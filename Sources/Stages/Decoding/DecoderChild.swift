import DecoderWire
import Sandbox

/// One forked decoder process that waits for its job.
struct DecoderChild: Sendable {
    /// The pool's number for it, never used twice.
    var number: Int
    /// The number of the zygote that forked it.
    var zygote: Int
    var pid: Int
    var process: ProcessHandle
    var line: PacketSocket
    var sandbox: SandboxReport
    /// Has how it ended, once; nothing if its zygote ended with it.
    var endings: AsyncStream<ProcessEnding>
}
