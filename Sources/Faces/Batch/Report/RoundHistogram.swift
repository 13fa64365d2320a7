import Foundation

/// Counts of numbers between round bounds, each about three times the one before, as the columns of a plot.
struct RoundHistogram {
    /// The bounds between the columns. The first and last column have no bound on their outer side.
    let bounds: [Double]
    private(set) var counts: [Int]

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Columns for the sizes of files in bytes, from 10 kB to 30 MB.
    static let sizes = RoundHistogram(bounds: [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7])

    /// Columns for durations in milliseconds, from 10 ms to 30 s.
    static let durations = RoundHistogram(bounds: [10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4])

    mutating func add(_ number: Int) { counts[bounds.count { $0 <= Double(number) }] += 1 }
}
