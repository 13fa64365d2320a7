import ServiceLifecycle
import Storage
import Timing

/// Sweeps the store from time to time, for as long as the sidecar runs.
struct StoreSweeper: Service {
    let store: AttachmentStore
    let time: any TimeSource

    /// Files that are kept for less than some minutes are looked for more often.
    private var interval: Duration { max(.seconds(1), min(.seconds(60), store.retention.keep / 4)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await store.sweep() } while (try? await time.sleep(until: time.now + interval)) != nil
        }
    }
}
