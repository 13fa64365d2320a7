import Base
import DecoderWire
import Glibc
import Media
import Sandbox

/// A decoder process, at the other end of its line: it speaks the protocol of decoders, or breaks it, hangs, or dies.
final class SimulatedDecoder {
    private enum Step {
        case idle, header, memory, body, making
    }

    private let process: SimulatedProcess
    private let host: DecoderHost
    private let onEnd: (ProcessEnding) -> Void
    private var line: PacketSocket?
    private var number: UInt64 = 0
    private var step = Step.idle
    private var job: SimulatedDecoding?
    private var isGranted = false
    private var isExpired = false
    private var isAsking = false
    /// A Boolean value that indicates whether the process computes without end. It reads nothing then, so only a kill ends it.
    private var isSpinning = false
    /// The bytes that are enough to see the format and the size.
    private static let header = 0..<512

    init(
        _ process: SimulatedProcess,
        _ line: PacketSocket,
        on host: DecoderHost,
        onEnd: @escaping (ProcessEnding) -> Void,
    ) {
        self.process = process
        self.line = line
        self.host = host
        self.onEnd = onEnd
        process.onKill { [weak self] in self?.end(.killed(signal: 9)) }
        number = host.readiness.watch(line.descriptor) { [weak self] in self?.receive() }
        // One that is not ready in time is given up.
        if host.faults.decoder == .hang, Int.random(in: 0..<4) == 0 { return }
        after(.milliseconds(Int.random(in: 2...40))) { $0.send(.ready(SandboxReport())) }
    }

    var pid: Int { process.pid }

    /// A Boolean value that indicates whether the process goes on and has a job.
    var isBusy: Bool { line != nil && job != nil }

    func end(_ ending: ProcessEnding) {
        guard line != nil else { return }
        host.readiness.stop(number)
        (line, job) = (nil, nil)
        process.end()
        onEnd(ending)
    }

    private func after(_ delay: Duration, _ action: @escaping (SimulatedDecoder) -> Void) {
        host.after(delay) { [weak self] in
            if let self, line != nil { action(self) }
        }
    }

    private func send(_ message: DecoderMessage) {
        do throws(SystemError) { try line?.send(message) } catch { end(.exited(status: 1)) }
    }

    private func receive() {
        while let line, !isSpinning {
            do throws(SystemError) {
                guard let packet = try line.receive(descriptorLimit: 8, waits: false),
                    let message = try? WorkerMessage(packet: packet.bytes)
                else { return end(.exited(status: 0)) }
                apply(message, packet.descriptors)
            } catch {
                if error.code != EAGAIN { end(.exited(status: 1)) }
                return
            }
        }
    }

    private func apply(_ message: WorkerMessage, _ descriptors: [Int32]) {
        switch message {
        case .transform(let request, let source, _, _):
            job = SimulatedDecoding(request, source, descriptors)
            step = .header
            if host.faults.decoder == .die, Bool.random() { return end(.killed(signal: 9)) }
            send(.began)
        case .have(let range, let size):
            job?.source.present.insert(range)
            job?.source.size = size
            isAsking = false
        case .endsHere(let source):
            job?.source = source
            isAsking = false
        case .proceed: isGranted = true
        case .timeWillExpire: isExpired = true
        }
        goOn()
    }

    private func goOn() {
        guard let job, line != nil else { return }
        switch step {
        case .header where has(Self.header): describe(job)
        case .memory where isGranted:
            step = .body
            goOn()
        case .body where job.source.isWhole || has(job.rest):
            guard job.source.isWhole else { return goOn() }
            step = .making
            make(job, job.rungs)
        default: break
        }
    }

    /// Returns whether the bytes are there, or will never be. Asks for them otherwise.
    private func has(_ range: Range<Int>) -> Bool {
        guard let source = job?.source else { return false }
        if source.isEnded || source.present.contains(range) { return true }
        if !isAsking { send(.need(range, ahead: 4096)) }
        isAsking = true
        return false
    }

    private func describe(_ job: SimulatedDecoding) {
        guard let source = job.name else { return send(.failed(.corrupt)) }
        switch (source.content, host.faults.decoder) {
        case (.deadly, _): return host.onDeath()
        case (.crash, _): return after(.milliseconds(Int.random(in: 1...40))) { $0.end(.killed(signal: 11)) }
        case (.endless, _), (_, .hang):
            step = .making
            isSpinning = true
            host.readiness.stop(number)
        case (.lie, _) where source.number % 3 == 0: return send(.source(SourceReport(width: 1 << 30, height: 1)))
        case (.lie, _) where source.number % 3 == 1: return send(.need(0..<1, ahead: 0))
        default: step = .memory
        }
        send(.source(SourceReport(width: 2000, height: 1000, frames: 1), memoryBytes: source.memoryBytes))
    }

    private func make(_ job: SimulatedDecoding, _ rungs: [Rung]) {
        guard let rung = rungs.first, !(isExpired && job.made > 0) else {
            send(job.made > 0 ? .done : .failed(.timedOut))
            return after(.microseconds(Int.random(in: 100...1000))) { $0.end(.exited(status: 0)) }
        }
        let slow = host.faults.decoder == .slow ? Int.random(in: 200...2000) : 0
        after(.milliseconds(slow + Int.random(in: 2...60))) { decoder in
            guard let report = job.make(rung) else {
                return decoder.end(.exited(status: 1))
            }
            decoder.send(.rung(report, output: job.made - 1))
            decoder.make(job, Array(rungs.dropFirst()))
        }
    }
}
