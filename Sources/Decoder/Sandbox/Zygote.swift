import CLinux
package import DecoderWire
import Glibc

/// A process that has its libraries loaded and forks one decoder process per attachment.
///
/// It has one thread, follows the messages on its control socket, and ends when the socket closes. Descriptor 0 is that
/// socket, or the process's own socket in a decoder process. Descriptor 1 is /dev/null. Descriptor 2 is the worker's
/// standard error, or /dev/null in a decoder process.
package struct Zygote {
    private let control = PacketSocket(adopting: 0)
    private let enclosure: SandboxReport
    private let decode: (PacketSocket, _ lockDown: () -> SandboxReport) -> Void
    private var children: [Int: ProcessHandle] = [:]

    /// Creates a zygote. A forked process runs `decode`: it warms up, gives up its rights, reports that it is ready,
    /// and does one job.
    package init(
        enclosure: SandboxReport,
        decode: @escaping (_ line: PacketSocket, _ lockDown: () -> SandboxReport) -> Void,
    ) {
        self.enclosure = enclosure
        self.decode = decode
    }

    /// The difference between the nice values of the worker and of decoder processes: of a core that both want, the worker
    /// gets nine tenths.
    package static let niceness: Int32 = 10

    /// Lets the worker's threads go first, even if decoding uses every core: what answers must not wait for what decodes.
    /// Forked processes inherit it. Call it before anything that takes time.
    package static func yieldToWorker() { _ = nice(niceness) }

    /// Runs the zygote until the worker closes the control socket or sends an invalid message.
    package mutating func run() throws(any Error) {
        try control.send(ZygoteReport.ready)
        while true {
            let numbers = Array(children.keys)
            var events = [pollfd(fd: control.descriptor, events: Int16(POLLIN), revents: 0)]
            for number in numbers {
                events.append(pollfd(fd: children[number]?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
            }
            guard unsafe poll(&events, nfds_t(events.count), -1) > 0 else { continue }
            for (number, event) in zip(numbers, events.dropFirst()) where event.revents != 0 {
                try reap(number)
            }
            if events[0].revents != 0 {
                guard let packet = try control.receive(descriptorLimit: 1, waits: true) else { return }
                try apply(packet)
            }
        }
    }

    private mutating func reap(_ number: Int) throws(any Error) {
        guard let (ending, usage) = children[number]?.reap() else { return }
        children[number] = nil
        try control.send(ZygoteReport.exited(child: number, ending: ending, usage: usage))
    }

    private mutating func apply(_ packet: PacketSocket.Packet) throws(any Error) {
        defer { for descriptor in packet.descriptors { close(descriptor) } }
        switch try ZygoteCommand(packet: packet.bytes) {
        case .spawn(let number, let limits):
            guard let socket = packet.descriptors.first else { throw WireError.invalidValue }
            let zygote = getpid()
            let pid = clinux_fork()
            if pid == 0 { becomeDecoder(socket, limits, of: zygote) }
            guard pid > 0 else {
                return try control.send(ZygoteReport.couldNotSpawn(child: number, code: Int(errno)))
            }
            let child = try ProcessHandle(pid: pid)
            children[number] = child
            try control.send(ZygoteReport.spawned(child: number, pid: Int(pid)), descriptors: [child.descriptor])
        }
    }

    /// Turns the forked process into a decoder process, which keeps only the zygote's memory.
    private func becomeDecoder(_ socket: Int32, _ limits: ProcessLimits, of zygote: Int32) -> Never {
        guard dup2(socket, 0) == 0, dup2(1, 2) == 2, clinux_close_from(3) == 0 else { _exit(1) }
        var report = enclosure
        // This comes before the warm-up, which might hang.
        report[.parentDeathSignal] = Lockdown.dieWith(zygote)
        decode(control) { Lockdown.enter(limits, in: report) }
        _exit(0)
    }
}
