import ServiceLifecycle
import Storage
import Timing

/// A service that sweeps the store at intervals.
struct StoreSweeper: Service {
    let store: AttachmentStore
    let time: any TimeSource

    /// The time between two sweeps; shorter if files are kept for a few minutes only.
    private var interval: Duration { max(.seconds(1), min(.seconds(60), store.retention.keep / 4)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await store.sweep() } while (try? await time.sleep(for: interval)) != nil
        }
    }
}
