/// Something that waits for sockets and processes in place of tasks: a thread, or the loop of a simulation.
protocol Readiness: Sendable {
    /// Waits until `descriptor` can be read or is closed at the other end, or the task is cancelled.
    ///
    /// The caller keeps it open, and is the only one that waits for it.
    func waitUntilReadable(_ descriptor: Int32) async

    /// Calls `answer` among its other work, to show that it runs.
    func answer(_ answer: @escaping @Sendable () -> Void)

    /// Ends the waiting. No task may be waiting any more.
    func stop()
}
