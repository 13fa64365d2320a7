package import Base

/// The time for which a fetched source may be used again without asking its origin, from each answer on the way to it,
/// redirects first (RFC 9111, for a shared cache).
package struct SourceFreshness: Sendable, Equatable {
    /// The freshness of one answer.
    package struct Answer: Sendable, Equatable {
        /// A Boolean value that indicates whether a shared cache may use the answer for other requests.
        package var isShareable: Bool
        /// The time after its creation at the origin for which the answer stays fresh, or `nil` if the origin does not
        /// say.
        package var lifetime: Duration?
        /// The answer's age on arrival.
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

    /// A Boolean value that indicates whether all answers may be shared. One private answer is enough to forbid it.
    package var isShareable: Bool { answers.allSatisfy(\.isShareable) }

    /// Returns when the first of the answers is no longer fresh. `floor` is the lifetime of answers whose origin gives
    /// none.
    package func end(floor: Duration) -> Instant? {
        answers.map { $0.received + ($0.lifetime ?? floor) - $0.age }.min()
    }

    /// Returns this freshness, of a "not modified" answer, completed with values from `before`.
    package func freshening(_ before: SourceFreshness) -> SourceFreshness {
        var freshened = self
        if let last = answers.indices.last {
            freshened.answers[last].lifetime = answers[last].lifetime ?? before.answers.last?.lifetime
        }
        return freshened
    }
}

/// The validators that tell an origin which version of a source is known here (RFC 9110, section 8.8).
package struct SourceValidators: Sendable, Equatable {
    package var entityTag: String?
    package var lastModified: String?
    /// The target of the redirect that led to the source, or `nil` without one. Validators hold for that URL only.
    package var redirectedTo: String?

    package init(entityTag: String? = nil, lastModified: String? = nil, redirectedTo: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.redirectedTo = redirectedTo
    }
}

/// The facts known about a source from the answers so far, before its bytes.
package struct SourceHead: Sendable, Equatable {
    /// The last answer's HTTP status.
    package var status: Int
    package var freshness: SourceFreshness
    package var validators: SourceValidators?
    /// The time that the connection took, with name and TLS handshake; `nil` if an earlier one served again.
    package var connectTime: Duration?
    /// The time from the request to the answer's head.
    package var answerTime: Duration?

    package init(status: Int, freshness: SourceFreshness, validators: SourceValidators? = nil) {
        self.status = status
        self.freshness = freshness
        self.validators = validators
    }
}
