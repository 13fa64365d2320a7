import Base
import Foundation
import Support
import Testing

@Suite("Parts shorter than asked for", .timeLimit(.minutes(10)))
struct ShortPartTests {
    @Test("a first part too short to tell the format is followed by another", arguments: [1, 4, 511])
    func firstPart(length: Int) async throws {
        let attachd = try AttachdProgram()
        let clip = [UInt8](try Data(contentsOf: SharedMedia.packageRoot.appending(path: "Samples/media/launch.mp4")))
        let origin = try OriginServer { request in
            var answer = OriginAnswer.ranges(of: clip, to: request)
            if request.range?.lowerBound == 0 {
                answer.body = Array(clip.prefix(length))
                answer.setHeader("Content-Range", "bytes 0-\(length - 1)/\(clip.count)")
            }
            return answer
        }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/launch.mp4"), ["--deadline", "30s"])
        #expect(outcome.outcome == "complete", "\(String(describing: outcome.result))")
        #expect(origin.requests.dropFirst().first?.range?.lowerBound == length)
    }
}
