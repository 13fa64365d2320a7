/// The cause of a failure whose reason alone would mislead a person. The worker has a sentence for each.
package enum FailureCause: String, Sendable, CaseIterable {
    /// The source is encrypted, and only the owner of the key can decode it.
    case encryption
    /// The profile delivers no sound, and the source has nothing else.
    case silentProfile
    /// The source has a video whose codec is not decoded. Its sound alone would not be what the sender meant.
    case videoCodec
}
