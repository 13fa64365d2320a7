/// The rule for fetching a source in parts, where its origin answers range requests (RFC 9110, section 14).
package struct RangeRule: Sendable, Equatable {
    /// The size of the first request in bytes, for likely video or sound. Most have their index within it.
    package var firstByteCount = 131_072
    /// The size in bytes of a request behind a jump, where the reader does not say how much it will read. Each one that
    /// continues from there is twice as large as the one before it.
    package var leastByteCount = 65_536
    package var mostByteCount = 1_048_576
    /// The largest rest of a source behind a jump that is fetched to the end, in bytes: most of the time it is an
    /// index.
    package var tailByteCount = 1_048_576
    /// The size of a source, and the length of a jump, up to which a running download goes on instead.
    package var jumpByteCount = 1_048_576
    /// The distance in bytes by which a download in order may run ahead of its reader before it pauses.
    package var windowByteCount = 8_388_608
    /// The most range requests for one source. A reader that needs more is not looking for a clip.
    package var requestLimit = 64

    package init() {}
}
