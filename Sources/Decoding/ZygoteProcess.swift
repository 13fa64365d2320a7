import DecoderWire
import Glibc
import Media
import Sandbox

/// The zygote as the worker sees it.
struct ZygoteProcess: Sendable {
    let pid: Int32
    let process: ProcessHandle
    let control: PacketSocket
    let watcher: ReadinessWatcher

    /// Nothing of the worker's own environment: no proxies, no loader variables, no time zone.
    ///
    /// One malloc arena, since one thread works at a time; no code that is compiled at run time, which no memory is
    /// executable for; no plugin folder for libvips; every symbol bound at once, not in each forked process.
    static let environment = [
        "PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8", "LD_BIND_NOW=1", "MALLOC_ARENA_MAX=1",
        "VIPS_NOVECTOR=1", "VIPSHOME=/nonexistent",
    ]

    static func start(_ path: String, watcher: ReadinessWatcher) throws(SystemError) -> ZygoteProcess {
        let (ours, theirs) = try PacketSocket.pair()
        let pid = try ProgramStart.start(path, environment: environment, control: theirs)
        let process = try ProcessHandle(pid: pid)
        return ZygoteProcess(pid: pid, process: process, control: ours, watcher: watcher)
    }

    var reports: MessageStream<ZygoteReport> { MessageStream(socket: control, watcher: watcher) }

    /// Asks for one more decoder process; `socket` is its end of its line.
    func spawn(_ number: Int, _ limits: ProcessLimits, socket: PacketSocket) throws(SystemError) {
        try control.send(ZygoteCommand.spawn(child: number, limits: limits), descriptors: [socket.descriptor])
    }

    /// Kills it, and with it every process that it forked, and waits until it is gone.
    func end() async -> ProcessEnding? {
        process.kill()
        // A task that is cancelled would not wait.
        return await Task {
            await watcher.waitUntilReadable(process.descriptor)
            return process.reap()
        }.value
    }
}
