package import Timing

/// The download of one source: its URL, the file that receives the bytes, the deadline, and the receiver of events.
package struct DownloadJob: Sendable {
    package var url: String
    /// The file that receives the bytes. The download ends it as whole or cut; the reason of a failure is the file's
    /// ending.
    package var file: MediaFile
    /// The deadline of the callers. The download does not wait for an origin that cannot be asked before it.
    package var deadline: Deadline
    /// The longest time for all requests together, however far the deadline moves away.
    package var timeLimit: Duration
    /// The kind of media that the sender announced, if any. Of video and sound, the beginning is fetched first.
    package var kind: MediaFormat.Kind?
    /// The version that is known already. A source that is still this version is not fetched: its file is cut with no
    /// bytes.
    package var known: SourceValidators?
    /// Receives the head of each answer.
    package var onEvent: ProgressEvent.Receiver

    package init(
        _ url: String,
        into file: MediaFile,
        deadline: Deadline,
        timeLimit: Duration,
        kind: MediaFormat.Kind? = nil,
        unless known: SourceValidators? = nil,
        onEvent: @escaping ProgressEvent.Receiver = { _ in },
    ) {
        self.url = url
        self.file = file
        self.deadline = deadline
        self.timeLimit = timeLimit
        self.kind = kind
        self.known = known
        self.onEvent = onEvent
    }
}
