/// The number of jobs that a worker leases before a decoder has begun them.
///
/// Most jobs wait for downloads, so there have to be many more of them than decoders. But a job that waits for a decoder
/// here could be decoded by an idle neighbor. So the window begins with what the decoders can take. With each job that a
/// decoder begins or that needs none, it grows by one, or shrinks by one while jobs wait for all decoders.
struct BeginWindow {
    private let decoders: Int?
    private let range: ClosedRange<Int>
    private var size: Int
    private var isCrowded = false

    /// Creates the window, which never gets larger than `ahead`. Without `decoders`, it has that size.
    init(decoders: Int?, ahead: Int) {
        self.decoders = decoders
        let least = decoders.map { min(ahead, 2 * $0) } ?? ahead
        (range, size) = (least...ahead, least)
    }

    /// Returns the number of jobs to lease beside those that no decoder has begun.
    func room(beside unbegun: Int) -> Int { max(0, size - unbegun) }

    /// Records that a job has left the window.
    mutating func left() { size = min(max(size + (isCrowded ? -1 : 1), range.lowerBound), range.upperBound) }

    /// Notes the number of jobs that wait for a decoder.
    mutating func note(waiting: Int) { isCrowded = decoders.map { waiting >= $0 } ?? false }
}
