package import Base

/// The address of a queue: the engine that keeps it, and where. Each engine has one type of address.
package protocol QueueAddress: Sendable {
    /// The forms of the engine's addresses, for example `sqlite:PATH`.
    static var forms: [String] { get }

    /// The beginnings of the engine's addresses.
    static var beginnings: [String] { get }

    /// Parses an address. `authoritiesFile` is a PEM file with certificate authorities to trust in addition to the system's.
    init(_ text: String, authoritiesFile: String?) throws(JobQueueError)

    /// The address for logs and listings, without user and password.
    var withoutSecrets: String { get }

    /// A Boolean value that indicates whether many processes, on any machines, work on the queue as a fleet. Another queue is
    /// open in one process at a time.
    var isShared: Bool { get }

    /// Opens the queue, or creates it. A guest only looks at the queue or adds to it, and leaves the limits that workers have
    /// set. If `isStrict`, refuses a server that may lose jobs.
    func open(
        _ limits: QueueLimits,
        isStrict: Bool,
        isGuest: Bool,
        recorder: any EventRecorder<QueueEvent>,
    ) async throws -> any JobQueue

    /// Returns a listing of the queue while another process has it open; `nil` if this process can open it, too.
    func listing() throws(JobQueueError) -> (any QueueListing)?

    /// Describes the queue and the risks of its configuration, in words. Adds nothing to it. `check` finds further problems of
    /// a fleet.
    func describe(
        isStrict: Bool,
        check: @Sendable (any FleetStore) async throws -> [QueueWarning],
    ) async throws -> [String]
}
