import Base
import DecoderWire
import Glibc
import Sandbox

/// A zygote, at the other end of the pool's socket: it forks, tells of it, and tells how its processes ended.
final class SimulatedZygote {
    private let process: SimulatedProcess
    private let host: DecoderHost
    private let onEnd: () -> Void
    private var control: PacketSocket?
    private var number: UInt64 = 0
    private var children: [Int: SimulatedDecoder] = [:]

    init(_ process: SimulatedProcess, _ control: PacketSocket, on host: DecoderHost, onEnd: @escaping () -> Void) {
        self.process = process
        self.control = control
        self.host = host
        self.onEnd = onEnd
        process.onKill { [weak self] in self?.end() }
        number = host.readiness.watch(control.descriptor) { [weak self] in self?.receive() }
        host.after(.milliseconds(Int.random(in: 20...120))) { [weak self] in self?.send(.ready) }
    }

    var pid: Int { process.pid }

    /// The number of processes that have a job.
    var busyCount: Int { children.values.count(where: \.isBusy) }

    /// Ends the zygote, and with it every process that it forked.
    func end() {
        host.readiness.stop(number)
        control = nil
        for child in children.values.sorted(by: { $0.pid < $1.pid }) { child.end(.killed(signal: 9)) }
        children = [:]
        process.end()
        onEnd()
    }

    private func receive() {
        while let control {
            do throws(SystemError) {
                guard let packet = try control.receive(descriptorLimit: 1, waits: false) else { return end() }
                guard case .spawn(let child, _)? = try? ZygoteCommand(packet: packet.bytes),
                    let descriptor = packet.descriptors.first
                else { return end() }
                fork(child, PacketSocket(adopting: descriptor))
            } catch {
                if error.code != EAGAIN { end() }
                return
            }
        }
    }

    private func fork(_ child: Int, _ line: PacketSocket) {
        if host.faults.decoder == .die {
            switch Int.random(in: 0..<8) {
            case 0: return end()
            case 1: return send(.couldNotSpawn(child: child, code: Int(EAGAIN)))
            default: break
            }
        }
        guard let process = try? SimulatedProcess(host.makePID(), host.readiness) else { return end() }
        let (pid, handle) = (process.pid, process.handle)
        children[child] = SimulatedDecoder(process, line, on: host) { [weak self] ending in
            self?.ended(child, ending)
        }
        send(.spawned(child: child, pid: pid), handle)
        close(handle)
    }

    private func ended(_ child: Int, _ ending: ProcessEnding) {
        guard children.removeValue(forKey: child) != nil else { return }
        let usage = ProcessUsage(processorMicroseconds: 1000, peakMemoryBytes: 50_000_000)
        host.after(.microseconds(Int.random(in: 50...2000))) { [weak self] in
            self?.send(.exited(child: child, ending: ending, usage: usage))
        }
    }

    private func send(_ report: ZygoteReport, _ descriptors: Int32...) {
        do throws(SystemError) { try control?.send(report, descriptors: descriptors) } catch { end() }
    }
}
