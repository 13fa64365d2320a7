/// The frames of an animation that are kept, and how long each is shown.
///
/// A GIF counts hundredths of a second. What rounding leaves over goes to the next frame, so that all together take the time
/// of the source. A frame that would be shown for less than two hundredths gives its time to the one before: browsers and
/// phones would show it for ten.
struct FrameTimes {
    private static let least = 2

    /// The indices of the kept frames, and their times in hundredths of a second.
    private(set) var kept: [(frame: Int, time: Int)] = []

    /// Keeps every frame, or those that are at least `step` apart.
    ///
    /// - Parameters:
    ///   - delays: The times of all frames, in milliseconds.
    ///   - step: The number of frames that each kept one stands for.
    init(of delays: [Int], every step: Int = 1) {
        var (elapsed, start) = (0, 0)
        for (index, delay) in delays.enumerated() {
            let now = (elapsed + 5) / 10
            elapsed += delay
            if let last = kept.last {
                guard index - last.frame >= step, now - start >= Self.least else { continue }
                kept[kept.count - 1].time = now - start
                start = now
            }
            kept.append((index, 0))
        }
        guard !kept.isEmpty else { return }
        var rest = (elapsed + 5) / 10 - start
        // The last frame may stay, so the one before gives way.
        if rest < Self.least, kept.count > 2 { rest += kept.remove(at: kept.count - 2).time }
        kept[kept.count - 1].time = max(Self.least, rest)
    }

    var times: [Int] { kept.map(\.time) }
}
