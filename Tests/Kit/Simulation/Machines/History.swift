import Files

/// The history of a run: one line for each event.
///
/// `@unchecked Sendable`: a run has one thread.
final class History: @unchecked Sendable {
    private(set) var text: [UInt8] = []
    private(set) var lineCount = 0

    func add(_ time: Duration, _ machine: String, _ event: String) {
        let (seconds, attoseconds) = time.components
        let micros = String(attoseconds / 1_000_000_000_000)
        let padding = String(repeating: "0", count: 6 - micros.count)
        text.append(contentsOf: "\(seconds).\(padding)\(micros) \(machine): \(event)\n".utf8)
        lineCount += 1
    }

    /// The SHA-256 of the whole text.
    var digest: [UInt8] { SHA256.digest(of: text) }
}
