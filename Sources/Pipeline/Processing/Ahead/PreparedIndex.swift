/// The index of attachments that any worker of the fleet made ready ahead of time. Their files are in the bucket that all
/// workers publish to.
///
/// It is asked before each download, so it answers soon, or not at all: without an answer the attachment is made again.
package protocol PreparedIndex: Sendable {
    /// Returns the attachment with that name, or `nil` if there is none or the index cannot tell within `patience`.
    func find(_ name: PreparedName, within patience: Duration) async -> PreparedAttachment?

    /// Adds an attachment. Returns `false` if the index does not take it within `patience`: other workers then make it
    /// themselves.
    func add(_ attachment: PreparedAttachment, as name: PreparedName, within patience: Duration) async -> Bool

    /// Removes all attachments from that source. Returns `false` if the index cannot be reached.
    func forget(source: String) async -> Bool

    /// Notes that the file with that name was taken back. Returns `false` if the index cannot be reached.
    func forget(file name: String) async -> Bool
}
