import Glibc
import Machine
import ServiceLifecycle
import Timing

/// A service that waits for orphans, as process 1 of a container must.
struct OrphanReaper: Service {
    let time: any TimeSource
    private static let interval = Duration.seconds(2)

    /// A Boolean value that indicates whether orphans become children of this process.
    static var isNeeded: Bool { getpid() == 1 }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var zombies = Zombies()
            while (try? await time.sleep(for: Self.interval)) != nil { _ = zombies.reap() }
        }
    }
}
