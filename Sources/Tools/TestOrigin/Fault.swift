/// One way in which the origin misbehaves, and how often.
package struct Fault: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Before the head goes out.
        case latency(Duration)
        /// Added to the latency or taken from it, evenly spread up to this.
        case jitter(Duration)
        /// Bytes of the body a second.
        case bandwidth(Int)
        /// So many bytes of the body, and then nothing: for a while, or for as long as the client stays.
        case stall(after: Int, duration: Duration?)
        /// So many bytes of the body at a time.
        case drip(byteCount: Int, every: Duration)
        /// So many bytes of the body, and then the connection's end.
        case truncate(after: Int)
        /// So many bytes of the body, and then RST in place of an orderly end; after 0, not even the head.
        case reset(after: Int)
        /// What `Content-Length` claims.
        case length(ClaimedLength)
        /// What `Content-Type` claims; `nil` leaves it out.
        case type(String?)
        case redirect(Redirection)
        case status(Int)
        case ranges(RangeSupport)
        /// The body comes in chunks, without a `Content-Length`.
        case chunked
        /// Nobody is answered during this time, counted from the server's first request.
        case hiccup(start: Duration, duration: Duration)
    }

    package enum ClaimedLength: Sendable, Equatable {
        case exactly(Int)
        /// So many more than there are, or fewer.
        case off(by: Int)
    }

    package enum Redirection: Sendable, Equatable {
        /// To the same file, so many times.
        case times(Int)
        case loop
        case to(String)
    }

    package enum RangeSupport: String, Sendable, CaseIterable {
        case on
        /// The whole file, whatever part was asked for.
        case off
        /// 206 and the asked-for `Content-Range`, but the bytes are those of another part.
        case lie
        /// 416 to every range.
        case refuse
    }

    package var kind: Kind
    /// Which share of the requests has it: above 0, at most 1.
    package var share: Double

    package init(_ kind: Kind, share: Double = 1) {
        self.kind = kind
        self.share = share
    }
}

/// A text that names no fault, with what to write instead.
package struct FaultError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}
