/// How a source is fetched in parts, where its origin answers range requests (RFC 9110, section 14).
package struct RangeRule: Sendable, Equatable {
    /// The first request's bytes, for sources that are likely to be video or sound. Most have their index in them.
    package var firstByteCount = 131_072
    /// Where the reader doesn't say how much it will read, a request behind a jump fetches so much, and each one that
    /// goes on from there twice as much as the one before it.
    package var leastByteCount = 65_536
    package var mostByteCount = 1_048_576
    /// What is left of a source behind a jump is fetched to the end if it is no more than this: most of the time it is
    /// an index.
    package var tailByteCount = 1_048_576
    /// A source up to this size, or a jump up to this far, isn't worth giving a running download up for.
    package var jumpByteCount = 1_048_576
    /// How far a download in order may run ahead of what is wanted before it pauses.
    package var windowByteCount = 8_388_608
    /// How many range requests one source may cost. A reader that needs more is looking for something else than a clip.
    package var requestLimit = 64

    package init() {}
}
