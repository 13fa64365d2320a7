/// How far work for one notification serves others.
package struct ReuseRule: Sendable {
    /// How long a source may be used again whose origin doesn't say so; 0 uses none again, whatever origins say.
    package var floor: Duration
    /// Which URLs lead to the same source, the first that is for a URL counts.
    package var sources: [SourceRule]

    package init(floor: Duration = .seconds(60), sources: [SourceRule] = []) {
        self.floor = floor
        self.sources = sources
    }
}

/// What became of an attachment that was asked for, for metrics.
package enum AttachmentEvent: Sendable, Equatable {
    /// A download and its decoding began.
    case begun
    /// It waits for a download and decoding that others wait for too.
    case joined
    /// It is what was made before.
    case reused
    /// One that began ended with the origin's word that the source is still the one that something was made of.
    case revalidated
}

extension ReuseRule {
    /// What tells the source at `url` from others.
    package func source(of url: String) -> String { sources.source(of: url) }
}
