package import Timing

/// The conversion of one source: its bytes, the wanted outputs, the deadline, and the receiver of events.
package struct ConversionJob: Sendable {
    /// The source, which may still grow. Once it ends, the decoder uses the bytes that are there.
    package var file: MediaFile
    package var request: ConversionRequest
    /// The deadline of the callers. The soonest decides how urgent the job is; at the latest the decoder is stopped,
    /// whatever it does.
    package var deadline: Deadline
    /// Returns the rungs worth trying in the time left, and none if the time is too short. Called when a decoder is
    /// free. `nil` tries all rungs of `request`.
    package var worthwhileRungs: (@Sendable () -> Set<Rung>)?
    /// Receives the description of the source, the outputs, and the thumbnail.
    package var onEvent: ProgressEvent.Receiver

    package init(
        of file: MediaFile,
        as request: ConversionRequest,
        deadline: Deadline,
        worthwhileRungs: (@Sendable () -> Set<Rung>)? = nil,
        onEvent: @escaping ProgressEvent.Receiver,
    ) {
        self.file = file
        self.request = request
        self.deadline = deadline
        self.worthwhileRungs = worthwhileRungs
        self.onEvent = onEvent
    }
}
