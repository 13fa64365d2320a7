/// A consumer of the events of a module: in attachd an observer, which counts them, logs them and shows them in traces.
///
/// A module that has something to report declares one type for its events, and takes one recorder for them. It never
/// counts, logs, or traces by itself. An event is a value, and a recorder handles all cases of its type in a
/// `switch`, so that the compiler leads from a new event to every consumer.
package protocol EventRecorder<Event>: Sendable {
    associatedtype Event: Sendable

    /// Takes an event. The caller is in the middle of its work, so this neither waits nor throws.
    ///
    /// The event is recorded in the task that it concerns, and task-local values are those of that task. If several
    /// tasks share one piece of work, each records for itself that it joined.
    func record(_ event: Event)
}

/// A recorder that ignores all events.
package struct NoRecorder<Event: Sendable>: EventRecorder {
    package init() {}

    package func record(_ event: Event) {}
}

/// Several recorders that all get the same events.
package struct RecorderGroup<Event: Sendable>: EventRecorder {
    private let members: [any EventRecorder<Event>]

    package init(_ members: any EventRecorder<Event>...) { self.members = members }

    package func record(_ event: Event) {
        for member in members { member.record(event) }
    }
}
