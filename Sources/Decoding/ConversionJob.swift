import Media

/// What a caller wants made of one source, and whom it tells.
struct ConversionJob: Sendable {
    var file: MediaFile
    var request: ConversionRequest
    /// The most bytes of one result.
    var outputCapacity: Int
    var expiry: ExpirySignal
    var describe: @Sendable (SourceReport) -> Void
    var publish: @Sendable (ReadyRung) -> Void
}
