import Base
import Jobs
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
    private let fleet: FleetKnowledge
    private let disk: SimulatedDisk
    private var lastURL = 0

    init(ofWorker number: Int, _ time: SimulatedTime, _ fleet: FleetKnowledge, in world: World) {
        self.number = number
        self.time = time
        self.fleet = fleet
        disk = world.disk(ofWorker: number)
        (faults, files, verdict) = (world.faults, world.files, world.verdict)
    }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        try await wait()
        guard let output = SimulatedOutput(rung.file.prefix(rung.report.byteCount)) else {
            throw AttachmentFailure(.store, .storeFailed, "The simulated output is not whole.")
        }
        verdict.require(output.source == source, .rightSource, "a file of \(output.source) is stored as of \(source)")
        let identifier = "\(output.source.hashValue)-\(rung.report.rung.rawValue)-\(output.longEdge)"
        let file = FileTable.File(
            source: output.source,
            byteCount: rung.report.byteCount,
            longEdge: output.longEdge,
            content: identifier,
            made: time.scheduler.now,
        )
        guard !disk.gone.contains(identifier) else {
            throw AttachmentFailure(.store, .forgotten, "The attachment was taken back.")
        }
        disk.present[identifier] = file
        disk.made[source, default: []].insert(identifier)
        await fleet.record(identifier, of: source)
        let url = newURL(of: identifier, file)
        return StoredFile(identifier: identifier, url: url, sha256: identifier)
    }

    func renew(_ stored: StoredFile) async -> StoredFile? {
        let isSlow = faults.disk(ofWorker: number) == .slow
        try? await time.sleep(for: isSlow ? .milliseconds(Int.random(in: 20...400)) : .microseconds(100))
        if faults.disk(ofWorker: number) == .loses { disk.present = [:] }
        var stored = stored
        guard fleet.mayServe(stored.identifier), let file = disk.present[stored.identifier] else { return nil }
        stored.url = newURL(of: stored.identifier, file)
        return stored
    }

    func has(_ file: String) -> Bool { disk.present[file] != nil }

    func isForgotten(_ stored: StoredFile) -> Bool { disk.gone.contains(stored.identifier) }

    func forget(_ stored: StoredFile) async { try? await forget(stored.identifier) }

    /// Takes a file back: it is removed, and not stored again.
    func forget(_ file: String) async throws {
        try await wait()
        disk.gone.insert(file)
        disk.present[file] = nil
    }

    /// Returns the files that were made here from a source.
    func files(of source: String) -> Set<String> { disk.made[source] ?? [] }

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
        case .loses: disk.present = [:]
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

/// The disk of a worker, which may outlive its process.
///
/// `@unchecked Sendable`: a run has one thread.
final class SimulatedDisk: @unchecked Sendable {
    /// The present files by their identifiers.
    fileprivate var present: [String: FileTable.File] = [:]
    /// The files of each source.
    fileprivate var made: [String: Set<String>] = [:]
    /// The files that were taken back.
    fileprivate var gone: Set<String> = []
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
