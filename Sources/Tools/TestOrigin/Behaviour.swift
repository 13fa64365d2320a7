import Media
package import SeededRandom

/// How one request is answered: its faults with all lots drawn.
package struct Behaviour: Sendable, Equatable {
    package var latency = Duration.zero
    package var bytesPerSecond: Int?
    package var drip: Drip?
    package var stall: Stall?
    package var truncation: Int?
    package var reset: Int?
    package var length: Fault.ClaimedLength?
    /// `.some(nil)` leaves the type out.
    package var type: String??
    package var redirection: Fault.Redirection?
    package var status: Int?
    package var ranges = Fault.RangeSupport.on
    package var isChunked = false
    package var hiccups: [Range<Duration>] = []

    package struct Drip: Sendable, Equatable {
        package var byteCount: Int
        package var pause: Duration
    }

    package struct Stall: Sendable, Equatable {
        package var after: Int
        package var duration: Duration?
    }

    package init() {}

    /// Draws with `random`, so that the same numbers give the same behaviour.
    package init(_ faults: [Fault], using random: inout SplitMix) {
        var jitter = Duration.zero
        for fault in faults {
            // Each fault takes one number, whether it strikes or not: adding one changes none before it.
            let lot = Double.random(in: 0..<1, using: &random)
            guard lot < fault.share else { continue }
            switch fault.kind {
            case .latency(let duration): latency = duration
            case .jitter(let duration): jitter = duration * Double.random(in: -1...1, using: &random)
            case .bandwidth(let rate): bytesPerSecond = rate
            case .stall(let after, let duration): stall = Stall(after: after, duration: duration)
            case .drip(let count, let pause): drip = Drip(byteCount: count, pause: pause)
            case .truncate(let after): truncation = after
            case .reset(let after): reset = after
            case .length(let claimed): length = claimed
            case .type(let name): type = .some(name)
            case .redirect(let target): redirection = target
            case .status(let code): status = code
            case .ranges(let support): ranges = support
            case .chunked: isChunked = true
            case .hiccup(let start, let duration): hiccups.append(start..<start + duration)
            }
        }
        latency = max(.zero, latency + jitter)
    }

    /// How long the answer to a request is held back that came so long after the first.
    package func delay(at age: Duration) -> Duration {
        let end = hiccups.filter { $0.contains(age) }.map(\.upperBound).max() ?? age
        return end - age + latency
    }
}
