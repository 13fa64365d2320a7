import Base
import Media
import Processing

/// The store of a worker, on a disk that is full, slow, hangs, or loses files.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedStore: AttachmentStoring, @unchecked Sendable {
    private let number: Int
    private let time: SimulatedTime
    private let faults: Faults
    private let files: FileTable
    private let verdict: Verdict
    /// The present files by their identifiers.
    private var present: [String: FileTable.File] = [:]
    private var lastURL = 0

    init(
        ofWorker number: Int,
        _ time: SimulatedTime,
        _ faults: Faults,
        _ files: FileTable,
        _ verdict: Verdict,
    ) {
        self.number = number
        self.time = time
        self.faults = faults
        self.files = files
        self.verdict = verdict
    }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        try await wait()
        guard let output = SimulatedOutput(rung.file.prefix(rung.report.byteCount)) else {
            throw AttachmentFailure(.store, .storeFailed, "The simulated output is not whole.")
        }
        verdict.require(output.source == source, .rightSource, "a file of \(output.source) is stored as of \(source)")
        let identifier = "\(number)-\(output.source.hashValue)-\(rung.report.rung.rawValue)-\(output.longEdge)"
        let file = FileTable.File(
            source: output.source,
            byteCount: rung.report.byteCount,
            longEdge: output.longEdge,
        )
        present[identifier] = file
        let url = newURL(of: identifier, file)
        return StoredFile(identifier: identifier, url: url, sha256: identifier)
    }

    func renew(_ stored: StoredFile) async -> StoredFile? {
        try? await time.sleep(for: .microseconds(100))
        if faults.disk(ofWorker: number) == .loses { present = [:] }
        var stored = stored
        guard let file = present[stored.identifier] else { return nil }
        stored.url = newURL(of: stored.identifier, file)
        return stored
    }

    private func wait() async throws(AttachmentFailure) {
        let fault = faults.disk(ofWorker: number)
        switch fault {
        case .full: throw AttachmentFailure(.store, .storeFull, "The simulated disk is full.")
        case .slow: try? await time.sleep(for: .milliseconds(Int.random(in: 20...400)))
        case .hangs:
            // A task that waits for a disk cannot be cancelled.
            await Task { [self] in
                while faults.disk(ofWorker: number) == .hangs { try? await time.sleep(for: .milliseconds(500)) }
            }
            .value
        case .loses: present = [:]
        case nil: break
        }
        try? await time.sleep(for: .microseconds(Int.random(in: 200...3000)))
    }

    private func newURL(of identifier: String, _ file: FileTable.File) -> String {
        lastURL += 1
        let url = "https://store\(number).example/\(identifier)?\(lastURL)"
        files[url] = file
        return url
    }
}

/// The bytes of a simulated output: what was made of which source.
struct SimulatedOutput {
    var source: String
    var longEdge: Int

    init(source: String, longEdge: Int) {
        self.source = source
        self.longEdge = longEdge
    }

    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard let mark = words.firstIndex(of: "output"), words.count > mark + 3, words[mark + 3] == "whole",
            let edge = Int(words[mark + 2])
        else { return nil }
        self.init(source: String(words[mark + 1]), longEdge: edge)
    }

    /// A JPEG (ITU-T T.81, annex B) without a picture: its text is the data of its scan, and its frame header has the size.
    var bytes: [UInt8] {
        let text = Array(" output \(source) \(longEdge) whole ".utf8)
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let frame =
            [0xFF, 0xC0] + Self.word(11) + [8] + Self.word(longEdge / 2) + Self.word(longEdge) + [1, 1, 0x11, 0]
        return [0xFF, 0xD8] + frame + scan + text + [0xFF, 0xD9]
    }

    private static func word(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
}
