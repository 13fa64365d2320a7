import Base
import DecoderWire
import Decoding
import Synchronization

/// A log of a pool's process events.
final class DecoderLog: EventRecorder {
    struct Record: Sendable {
        /// The ends that the pool did not cause.
        var deaths: [ProcessEnding] = []
        /// The usage of every process that ended.
        var usages: [ProcessUsage] = []
    }

    private let state = Mutex(Record())

    var record: Record { state.withLock(\.self) }

    func record(_ event: DecoderEvent) {
        state.withLock { record in
            switch event {
            case .childEnded(_, let ending): record.deaths.append(ending)
            case .childReaped(_, let usage): record.usages.append(usage)
            case .zygoteReady, .zygoteEnded, .zygoteReplaced, .zygoteMissing, .formatsChanged, .formatRefused,
                .formatStopped, .forbiddenCall:
                break
            }
        }
    }
}

extension DecoderLog.Record {
    var mostProcessorTime: Duration { .microseconds(usages.map(\.processorMicroseconds).max() ?? 0) }
    var mostMemory: Int { usages.map(\.peakMemoryBytes).max() ?? 0 }
    func deaths(by signal: Int32) -> Int { deaths.count { $0 == .killed(signal: Int(signal)) } }
}
