import Base
import Glibc

@testable import Decoding

/// The readiness of sockets whose two ends are in this process. They are looked at whenever no task can run.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedReadiness: Readiness, @unchecked Sendable {
    private struct Entry {
        var number: UInt64
        var descriptor: Int32
        var isOnce: Bool
        var action: () -> Void
    }

    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    func waitUntilReadable(_ descriptor: Int32) async {
        let call = ReadinessCall()
        await withWaiter { (waiter: Waiter<Void>) in
            call.waiter = waiter
            call.number = add(descriptor, isOnce: true) { call.end() }
            return nil
        } onCancel: { _ in
            stop(call.number)
            call.end()
        }
    }

    func answer(_ answer: @escaping @Sendable () -> Void) { answer() }

    func stop() {}

    /// Calls `action` whenever the descriptor can be read, until that is stopped. Returns the number to stop it with.
    func watch(_ descriptor: Int32, _ action: @escaping () -> Void) -> UInt64 {
        add(descriptor, isOnce: false, action)
    }

    func stop(_ number: UInt64) { entries.removeAll { $0.number == number } }

    /// Runs the action of each readable descriptor. Returns whether there was one.
    func look() -> Bool {
        guard !entries.isEmpty else { return false }
        var polled = entries.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&polled, nfds_t(polled.count), 0) > 0 else { return false }
        let ready = zip(entries, polled).filter { $0.1.revents != 0 }.map(\.0)
        for entry in ready {
            // An action may stop others.
            guard let index = entries.firstIndex(where: { $0.number == entry.number }) else { continue }
            if entry.isOnce { entries.remove(at: index) }
            entry.action()
        }
        return true
    }

    private func add(_ descriptor: Int32, isOnce: Bool, _ action: @escaping () -> Void) -> UInt64 {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, descriptor: descriptor, isOnce: isOnce, action: action))
        return lastNumber
    }
}

/// A task that waits for a descriptor.
///
/// `@unchecked Sendable`: a run has one thread.
private final class ReadinessCall: @unchecked Sendable {
    var waiter: Waiter<Void>?
    var number: UInt64 = 0

    func end() {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume()
    }
}
