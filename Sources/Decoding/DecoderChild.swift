import DecoderWire
import Sandbox

/// One forked decoder process that waits for its job.
struct DecoderChild: Sendable {
    /// The pool's number for it, never used twice.
    var number: Int
    var pid: Int
    var process: ProcessHandle
    var line: PacketSocket
    var sandbox: SandboxReport
}
