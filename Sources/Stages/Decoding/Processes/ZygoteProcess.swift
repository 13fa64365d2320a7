import DecoderWire
import Glibc
import Media
import Sandbox
import Values

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
