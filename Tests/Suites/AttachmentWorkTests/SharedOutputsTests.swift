import Base
import Media
import Testing

@testable import Processing

@Suite("Outputs that callers share")
struct SharedOutputsTests {
    private static let file = StoredFile(identifier: "a", url: "file:///a.jpg", sha256: "00")
    private let end = Instant(sinceOrigin: .seconds(10))

    /// Returns outputs with one in memory, which so many callers hold, and the output's number.
    private func outputs(_ callers: Int) throws -> (outputs: SharedOutputs, number: Int) {
        var outputs = SharedOutputs()
        var attempt = ReadyAttachment()
        let report = RungReport(rung: .downscaled, format: .jpeg, byteCount: 2)
        attempt.output = outputs.add(ReadyRung(report: report, file: try OutputFile(capacity: 2)))
        for id in 1...callers { outputs.hold(attempt, for: id) }
        return (outputs, 1)
    }

    private func words(_ actions: [AttachmentWork.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .store: "store"
            case .stopStoring: "stop"
            case .deliver(let id, .success): "file for \(id)"
            case .deliver(let id, .failure(let failure)): "\(failure.reason) for \(id)"
            case .remove: "remove"
            case .renew(_, for: let id): "renew for \(id)"
            default: "\(action)"
            }
        }
    }

    @Test("one is stored once, whoever is first, and all get the file; one that comes later gets a URL of its own")
    func once() throws {
        var (outputs, number) = try outputs(4)
        #expect(words(outputs.store(1, until: end)) == ["store"])
        #expect(outputs.store(2, until: end).isEmpty && outputs.store(3, until: end).isEmpty)
        let ended = outputs.stored(number, .success(Self.file)) { _ in false }
        #expect(words(ended) == ["file for 1", "file for 2", "file for 3"])
        #expect(words(outputs.store(4, until: end)) == ["renew for 4"])
        #expect(words(outputs.renewed(Self.file, for: 4)) == ["file for 4"])
    }

    @Test(
        "a failure is every caller's; a failed upload is tried once more by those with time",
        arguments: [true, false]
    )
    func failing(mayRetry: Bool) throws {
        var (outputs, number) = try outputs(2)
        _ = (outputs.store(1, until: end), outputs.store(2, until: end + .seconds(10)))
        let failure = AttachmentFailure(.store, .publishFailed, "The test says so.")
        let first = outputs.stored(number, .failure(failure)) { mayRetry && $0 > end }
        #expect(
            words(first)
                == (mayRetry ? ["publishFailed for 1", "store"] : ["publishFailed for 1", "publishFailed for 2"])
        )
        let second = outputs.stored(number, .failure(failure)) { _ in true }
        #expect(words(second) == (mayRetry ? ["publishFailed for 2"] : []))
    }

    @Test("storing goes on while a caller is left, and begins again for one that comes after the last has left")
    func leaving() throws {
        var (outputs, number) = try outputs(3)
        _ = (outputs.store(1, until: end), outputs.store(2, until: end))
        #expect(words(outputs.expire(1)) == ["timedOut for 1"])
        #expect(words(outputs.cancel(2)) == ["cancelled for 2", "stop"])
        #expect(outputs.store(3, until: end).isEmpty)
        let failure = AttachmentFailure(.store, .cancelled, "The test says so.")
        #expect(words(outputs.stored(number, .failure(failure)) { _ in false }) == ["store"])
        #expect(words(outputs.stored(number, .success(Self.file)) { _ in false }) == ["file for 3"])
    }

    @Test(
        "a caller whose source was taken back gets no file; the file is removed unless another caller has it",
        arguments: [1, 2]
    )
    func takenBack(callers: Int) throws {
        var (outputs, number) = try outputs(callers)
        for id in 1...callers { _ = outputs.store(id, until: end) }
        outputs.takeBack(1)
        let ended = words(outputs.stored(number, .success(Self.file)) { _ in false })
        #expect(ended == (callers == 1 ? ["forgotten for 1", "remove"] : ["forgotten for 1", "file for 2"]))
    }
}
