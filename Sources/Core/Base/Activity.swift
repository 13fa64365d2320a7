import Synchronization

/// Work that takes time, such as a download or the answer to a request.
///
/// The events at its beginning, within it, and at its end have the activity. Tasks inherit it, so that the events of other
/// modules belong to it, too. A recorder of traces gives it a span; without one it costs next to nothing.
package final class Activity: Sendable, Equatable {
    /// The activity that the current task works on.
    @TaskLocal package static var current: Activity?

    private let content = Mutex<(any ActivitySpan)?>(nil)

    package init() {}

    /// The span of a trace that shows the activity; `nil` if traces are off.
    package var span: (any ActivitySpan)? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    package static func == (left: Activity, right: Activity) -> Bool { left === right }

    fileprivate func run<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        defer { span?.end() }
        return try Self.$current.withValue(self) {
            do throws(Failure) {
                return Result<Value, Failure>.success(try work())
            } catch {
                return .failure(error)
            }
        }
        .get()
    }

    fileprivate func run<Value: Sendable, Failure: Error>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        defer { span?.end() }
        return try await Self.$current.withValue(self) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        .get()
    }
}

/// A span, as far as an activity needs to know it.
package protocol ActivitySpan: Sendable {
    /// The header fields with which another process continues the trace.
    var trace: TraceContext { get }

    func end()
}

/// The header fields of W3C Trace Context. Queues pass them on without parsing them.
package struct TraceContext: Sendable, Equatable {
    package var parent: String
    package var state: String?

    package init(parent: String, state: String? = nil) {
        self.parent = parent
        self.state = state
    }

    /// Creates a context from texts that did not come as header fields. Returns `nil` if `parent` cannot be one; leaves out
    /// a `state` that cannot.
    package init?(untrusted parent: String, state: String?) {
        guard Self.isField(parent, upTo: 128) else { return nil }
        self.init(parent: parent, state: state.flatMap { Self.isField($0, upTo: 512) ? $0 : nil })
    }

    private static func isField(_ text: String, upTo limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

// MARK: - Events

extension EventRecorder {
    /// Records the event that begins an activity, calls `work` as that activity, and ends it.
    package func record<Value, Failure: Error>(
        _ beginning: (Activity) -> Event,
        around work: (Activity) throws(Failure) -> Value,
    ) throws(Failure) -> Value {
        let activity = Activity()
        record(beginning(activity))
        return try activity.run { () throws(Failure) in try work(activity) }
    }

    /// Records the event that begins an activity, calls `work` as that activity, and ends it.
    package func record<Value: Sendable, Failure: Error>(
        _ beginning: (Activity) -> Event,
        around work: (Activity) async throws(Failure) -> Value,
    ) async throws(Failure) -> Value {
        let activity = Activity()
        record(beginning(activity))
        return try await activity.run { () async throws(Failure) in try await work(activity) }
    }
}
