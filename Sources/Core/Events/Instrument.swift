/// A consumer of the events of a module: metrics, a log, or later spans.
///
/// A module that has something to report declares one type for its events, and takes one instrument for them. It never
/// counts, logs, or traces by itself. An event is a value, and an instrument handles all cases of its type in a
/// `switch`, so that the compiler leads from a new event to every consumer.
package protocol Instrument<Event>: Sendable {
    associatedtype Event: Sendable

    /// Takes an event. The caller is in the middle of its work, so this neither waits nor throws.
    ///
    /// The event is recorded in the task that it concerns, and task-local values are those of that task. If several
    /// tasks share one piece of work, each records for itself that it joined.
    func record(_ event: Event)
}

/// An instrument that ignores all events.
package struct NoInstrument<Event: Sendable>: Instrument {
    package init() {}

    package func record(_ event: Event) {}
}

/// Several instruments that all get the same events.
package struct InstrumentGroup<Event: Sendable>: Instrument {
    private let members: [any Instrument<Event>]

    package init(_ members: any Instrument<Event>...) { self.members = members }

    package func record(_ event: Event) {
        for member in members { member.record(event) }
    }
}
