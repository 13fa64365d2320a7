import Concurrency
import Media
import NIOCore
import Synchronization
import Timing
import Values

/// A subscription to new primaries at one of the sentinels, taken again at another one when it ends.
///
/// A primary that dies is noticed without it. It is for one that is cut off and still answers.
final class SwitchWatch: Sendable {
    private let group: SentinelGroup
    private let dialer: RedisDialer
    private let time: any TimeSource
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ group: SentinelGroup, _ dialer: RedisDialer, time: any TimeSource) {
        self.group = group
        self.dialer = dialer
        self.time = time
    }

    deinit { leave() }

    /// Begins to watch. Calls `onSwitch` for each new primary until `leave`.
    func start(onSwitch: @escaping @Sendable (HostAndPort) -> Void) {
        let (group, dialer, time) = (group, dialer, time)
        task.withLock { task in
            task = task ?? Task { await Self.watch(group, dialer, time, onSwitch) }
        }
    }

    func leave() {
        task.withLock { $0 }?.cancel()
    }

    private static func watch(
        _ group: SentinelGroup,
        _ dialer: RedisDialer,
        _ time: any TimeSource,
        _ onSwitch: @escaping @Sendable (HostAndPort) -> Void,
    ) async {
        var backOff = BackOff()
        while true {
            for sentinel in group.addresses {
                let channel = try? await dialer.channel(to: sentinel, within: group.timeLimit) {
                    SwitchHandler(group, onSwitch: onSwitch)
                }
                if let channel {
                    backOff.succeeded()
                    await withTaskCancellationHandler {
                        try? await channel.closeFuture.get()
                    } onCancel: {
                        channel.close(promise: nil)
                    }
                }
                do { try await time.sleep(for: backOff.next()) } catch { return }
            }
        }
    }
}
