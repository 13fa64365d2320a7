/// A kind of misbehaviour, and its frequency.
package struct Fault: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A delay before the head is sent.
        case latency(Duration)
        /// A random change of the latency, up to this much more or less.
        case jitter(Duration)
        /// The number of bytes of the body to send a second.
        case bandwidth(Int)
        /// A pause after this many bytes of the body: for a duration, or for as long as the client stays connected.
        case stall(after: Int, duration: Duration?)
        /// The number of bytes of the body to send at a time.
        case drip(byteCount: Int, every: Duration)
        /// The end of the connection after this many bytes of the body.
        case truncate(after: Int)
        /// A reset (RST) after this many bytes of the body; after 0, the head is not sent either.
        case reset(after: Int)
        /// The value of `Content-Length`.
        case length(ClaimedLength)
        /// The value of `Content-Type`; `nil` leaves it out.
        case type(String?)
        case redirect(Redirection)
        case status(Int)
        case ranges(RangeSupport)
        /// A body in chunks, without a `Content-Length`.
        case chunked
        /// A time in which no request is answered, counted from the server's first request.
        case hiccup(start: Duration, duration: Duration)
    }

    package enum ClaimedLength: Sendable, Equatable {
        case exactly(Int)
        /// This many more than there are, or fewer if negative.
        case off(by: Int)
    }

    package enum Redirection: Sendable, Equatable {
        /// A redirect to the same file, this many times.
        case times(Int)
        case loop
        case to(String)
    }

    package enum RangeSupport: String, Sendable, CaseIterable {
        case on
        /// The whole file, whatever range was requested.
        case off
        /// 206 with the requested `Content-Range`, but the bytes of another range.
        case lie
        /// 416 for every range.
        case refuse
    }

    package var kind: Kind
    /// The share of the requests with this fault: above 0, at most 1.
    package var share: Double

    package init(_ kind: Kind, share: Double = 1) {
        self.kind = kind
        self.share = share
    }
}

/// The error of a text that is not a fault. It says what to write instead.
package struct FaultSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}
