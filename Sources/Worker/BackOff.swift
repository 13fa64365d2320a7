/// Rising pauses between tries of something that fails, spread so that many who failed together don't come back together.
struct BackOff: Sendable {
    private var pause = Duration.milliseconds(50)

    private static let longest = Duration.seconds(2)

    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause * Double.random(in: 0.5...1)
    }
}
