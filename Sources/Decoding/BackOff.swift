/// How long to wait before something that failed is tried again: not at all, then longer and longer.
struct BackOff {
    private var attempts = 0

    /// Whether it failed more often than bad luck explains.
    var isHopeless: Bool { attempts >= 2 }

    mutating func next() -> Duration {
        defer { attempts += 1 }
        return attempts == 0 ? .zero : min(.milliseconds(100) * (1 << min(attempts - 1, 10)), .seconds(10))
    }
}
