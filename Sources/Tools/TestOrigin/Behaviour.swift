import Media
package import SeededRandom

/// The behaviour for one request, after the random choices.
package struct Behaviour: Sendable, Equatable {
    package var latency = Duration.zero
    package var bytesPerSecond: Int?
    package var drip: Drip?
    package var stall: Stall?
    package var truncation: Int?
    package var reset: Int?
    package var length: Fault.ClaimedLength?
    /// The content type. `.some(nil)` leaves the header field out.
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

    /// Creates a behaviour. The same random numbers give the same behaviour.
    package init(_ faults: [Fault], using random: inout SplitMix) {
        var jitter = Duration.zero
        for fault in faults {
            // Takes one random number for each fault, whether or not it occurs, so that adding a fault does not change
            // earlier ones.
            let chance = Double.random(in: 0..<1, using: &random)
            guard chance < fault.share else { continue }
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

    /// Returns the delay of a request that arrives `age` after the first one.
    package func delay(at age: Duration) -> Duration {
        let end = hiccups.filter { $0.contains(age) }.map(\.upperBound).max() ?? age
        return end - age + latency
    }
}
