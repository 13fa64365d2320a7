import Base
import DecoderWire
import Glibc
import Media
import Sandbox

/// The worker's view of the zygote.
struct ZygoteProcess: Sendable {
    let pid: Int32
    let process: ProcessHandle
    let control: PacketSocket
    let watcher: any Readiness
    /// The control group that bounds the threads of the zygote and its processes, where the system allows one.
    let group: ControlGroup?
    let groupState: SandboxReport.State

    /// The zygote's environment. It inherits nothing from the worker's: no proxies, no loader variables, no time zone.
    static let environment = [
        "PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8",
        // Every symbol is bound once, not in each forked process again.
        "LD_BIND_NOW=1",
        // One arena, since one thread works at a time. Memory stays with the process until it ends: returning pages and
        // requesting them again costs 12 ms of the 75 that a 10-megapixel JPEG takes.
        "MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456",
        "MALLOC_TOP_PAD_=4194304",
        // Large pages where they exist: 3 of the 9 ms that the kernel spends on such a picture are page faults.
        "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
        // No machine code made at run time, because memory may not be executable. No plugin modules of libvips.
        "VIPS_NOVECTOR=1", "VIPSHOME=/nonexistent",
        // Swift's handler of fatal signals makes system calls that the filter forbids: every crash would look like one.
        "SWIFT_BACKTRACE=enable=no",
        // Pictures of more than 100 MB stay in memory too, such as all frames of a WebP. libvips would otherwise make a
        // file.
        "VIPS_DISC_THRESHOLD=100g",
    ]

    static func start(_ path: String, watcher: any Readiness) throws(SystemError) -> ZygoteProcess {
        let (ours, theirs) = try PacketSocket.pair()
        let pid = try ProgramStart.start(path, environment: environment, control: theirs)
        let process = try ProcessHandle(pid: pid)
        // The zygote loads its libraries now, and forks only when it is told to.
        let (group, groupState) = ControlGroup.make(pid: pid)
        return ZygoteProcess(
            pid: pid,
            process: process,
            control: ours,
            watcher: watcher,
            group: group,
            groupState: groupState,
        )
    }

    var reports: MessageStream<ZygoteReport> { MessageStream(socket: control, watcher: watcher) }

    /// Asks for one more decoder process; `socket` is the process's end of its line.
    func spawn(_ number: Int, _ limits: ProcessLimits, socket: PacketSocket) throws(SystemError) {
        try control.send(ZygoteCommand.spawn(child: number, limits: limits), descriptors: [socket.descriptor])
    }

    /// Kills the zygote, and with it every process that it forked, and waits until it is gone.
    func end() async -> ProcessEnding? {
        process.kill()
        // A cancelled task would not wait.
        return await Task {
            await watcher.waitUntilReadable(process.descriptor)
            return process.reap()?.ending
        }.value
    }
}

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

// MARK: - Messages

/// The error that a peer does not keep to the protocol.
struct PeerError: Error {}

/// The messages that one peer sends on its socket.
struct MessageStream<Message: WireMessage>: Sendable {
    struct Received: Sendable {
        var message: Message
        /// The descriptors that came with the message. The receiver closes them.
        var descriptors: [Int32]
    }

    let socket: PacketSocket
    let watcher: any Readiness

    /// Returns the next message, or `nil` once the peer is gone or the task is cancelled.
    ///
    /// Throws for a packet that is not a message, or that brings more descriptors than `descriptorLimit`.
    func next(descriptorLimit: Int = 0) async throws(PeerError) -> Received? {
        while !Task.isCancelled {
            switch Result(catching: { () throws(SystemError) in
                try socket.receive(descriptorLimit: descriptorLimit, waits: false)
            }) {
            case .success(let packet?): return try Self.message(in: packet)
            case .success(nil): return nil
            case .failure(let error) where error.code == EAGAIN: await watcher.waitUntilReadable(socket.descriptor)
            case .failure: throw PeerError()
            }
        }
        return nil
    }

    private static func message(in packet: PacketSocket.Packet) throws(PeerError) -> Received {
        do throws(WireError) {
            return Received(message: try Message(packet: packet.bytes), descriptors: packet.descriptors)
        } catch {
            for descriptor in packet.descriptors { close(descriptor) }
            throw PeerError()
        }
    }
}
