package import Doctor
import Decoding
import Downloads
import HTTPClient
import Instruments
import Machine
import Media
import Publishing
package import Settings
import Storage
import Timing

/// The metrics, readiness, problems and abilities of a running engine.
extension Engine {
    /// All metrics in Prometheus's text format.
    package var metricsText: String {
        metrics.decoders.set(decoders.status.sandbox)
        metrics.store.set(store.usage)
        metrics.process.set(version: Version.number, commit: Version.commit)
        metrics.process.set(LoopHeartbeats.ofThisProcess.standstills)
        metrics.process.set(residentBytes: ProcessMemory.ofThisProcess ?? 0)
        metrics.sources.set(sourceMemory.usage)
        metrics.origins.set(downloader.originUsage)
        let threads = downloader.client.threadCounts
        metrics.origins.setThreads(working: threads.working, idle: threads.idle)
        if let bucket { metrics.publishing.set(isAvailable: bucket.refusal == nil) }
        return metrics.text
    }

    /// Passes a tiny image through a real decoder, and checks that the store is writable.
    package func checkReadiness() async throws {
        guard stalledLoops.isEmpty else { throw StalledLoopsError(names: stalledLoops) }
        try await DecoderCheck(pool: decoders).check()
        try await store.checkWritable()
    }

    /// The names of the essential loops that have stalled.
    package var stalledLoops: [String] { LoopHeartbeats.ofThisProcess.stalledNames }

    /// The problems that attachd can work with. Without the bucket, for example, notifications still go out on time.
    package var remarks: [String] {
        let disabled = formats.disabled.names.joined(separator: ", ")
        return [bucket?.refusal?.message, disabled.isEmpty ? nil : "Switched off: \(disabled)."].compactMap(\.self)
    }

    /// Returns the abilities of this installation, found by trying them.
    package func diagnosis(_ settings: Settings) async -> Diagnosis {
        await Diagnosis(
            settings,
            decoders: decoders,
            decoderMemory: Self.decoderMemory,
            sourceMemory: sourceMemory,
            store: store,
            bucket: bucket,
            downloader: downloader,
            queue: await Diagnosis.QueueReport(of: settings),
            libraries: DecoderProgram.libraries() + LoadedLibrary.ofThisProcess,
        )
    }
}

/// The error of essential loops that have stalled.
struct StalledLoopsError: Error, CustomStringConvertible {
    var names: [String]

    var description: String {
        "These internal loops have stalled: \(names.joined(separator: ", ")). Restart the worker."
    }
}
