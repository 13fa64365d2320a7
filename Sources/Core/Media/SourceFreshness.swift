package import Timing

/// For how long a source that was fetched may be used again without asking its origin: what each answer on the way to it
/// said, redirects first (RFC 9111, as a cache has it that many share).
package struct SourceFreshness: Sendable, Equatable {
    /// What one answer said.
    package struct Answer: Sendable, Equatable {
        /// Whether others than the one who asked may have it at all.
        package var isShareable: Bool
        /// How long after its making at the origin it stays fresh; `nil` where the origin says nothing.
        package var lifetime: Duration?
        /// How old it was when it came.
        package var age: Duration
        package var received: Instant

        package init(isShareable: Bool = true, lifetime: Duration? = nil, age: Duration = .zero, received: Instant) {
            self.isShareable = isShareable
            self.lifetime = lifetime
            self.age = age
            self.received = received
        }
    }

    package var answers: [Answer]

    package init(answers: [Answer]) { self.answers = answers }

    /// One answer that isn't everybody's is enough.
    package var isShareable: Bool { answers.allSatisfy(\.isShareable) }

    /// When the first of the answers is no longer fresh. `floor` is the lifetime of those whose origin says nothing.
    package func end(floor: Duration) -> Instant? {
        answers.map { $0.received + ($0.lifetime ?? floor) - $0.age }.min()
    }

    /// This one, of an answer that the source hasn't changed. What that doesn't say holds as it was said before.
    package func freshening(_ before: SourceFreshness) -> SourceFreshness {
        var freshened = self
        if let last = answers.indices.last {
            freshened.answers[last].lifetime = answers[last].lifetime ?? before.answers.last?.lifetime
        }
        return freshened
    }
}

/// What tells an origin which version of a source is known here (RFC 9110, section 8.8).
package struct SourceValidators: Sendable, Equatable {
    package var entityTag: String?
    package var lastModified: String?
    /// Where a redirect led to the source; `nil` if it was had without one. Validators say nothing of other places.
    package var redirectedTo: String?

    package init(entityTag: String? = nil, lastModified: String? = nil, redirectedTo: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.redirectedTo = redirectedTo
    }
}

/// What is known of a source from the answers so far, before its bytes.
package struct SourceHead: Sendable, Equatable {
    /// The last answer's HTTP status.
    package var status: Int
    package var freshness: SourceFreshness
    package var validators: SourceValidators?

    package init(status: Int, freshness: SourceFreshness, validators: SourceValidators? = nil) {
        self.status = status
        self.freshness = freshness
        self.validators = validators
    }
}
