import Base
import Glibc
import Sandbox

/// A process as others see it: by a descriptor that can be read once it has ended, and through which it is killed.
final class SimulatedProcess {
    let pid: Int
    private let readiness: SimulatedReadiness
    /// The end that others have, until it is given to them.
    private var given: PacketSocket?
    /// The end of the process. It closes with the process, and a kill arrives on it.
    private var own: PacketSocket?
    private var number: UInt64 = 0

    init(_ pid: Int, _ readiness: SimulatedReadiness) throws(SystemError) {
        let (given, own) = try PacketSocket.pair()
        self.pid = pid
        self.readiness = readiness
        (self.given, self.own) = (given, own)
    }

    /// A new descriptor of the process, for one other process, which closes it.
    var handle: Int32 {
        defer { given = nil }
        return given.map { dup($0.descriptor) } ?? -1
    }

    /// Calls `action` when the process is killed.
    func onKill(_ action: @escaping () -> Void) {
        guard let own else { return }
        number = readiness.watch(own.descriptor) { [weak self] in
            let isKill = (try? own.receive(waits: false)) != nil
            // That nobody has a descriptor any more does not end the process.
            if isKill { action() } else if let self { readiness.stop(number) }
        }
    }

    func end() {
        readiness.stop(number)
        (given, own) = (nil, nil)
    }
}
