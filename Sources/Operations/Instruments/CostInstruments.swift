import DecoderWire
package import Decoding
import Events
package import Processing
package import Worker

/// The processor time of decoders, for the cost of jobs.
package struct DecodingCost: Instrument {
    private let cost: JobCost

    package init(_ cost: JobCost) { self.cost = cost }

    package func record(_ event: DecoderEvent) {
        if case .childReaped(_, let usage) = event {
            cost.decoded(for: .microseconds(usage.processorMicroseconds))
        }
    }
}

/// The number of finished notifications, for the cost of jobs.
package struct NotificationCost: Instrument {
    private let cost: JobCost

    package init(_ cost: JobCost) { self.cost = cost }

    package func record(_ event: ProcessingEvent) {
        if case .answered = event { cost.answered() }
    }
}
