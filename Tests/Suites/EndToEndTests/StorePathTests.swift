import Foundation
import Payloads
import Support
import Testing

@Suite("The path of the store", .timeLimit(.minutes(10)))
struct StorePathTests {
    @Test("a relative store gives absolute URLs without dots, in the payload and in the result")
    func relative() async throws {
        let attachd = try AttachdProgram()
        let photo = SampleMedia.photoURL.path
        let store = "../\(attachd.folder.url.lastPathComponent)/./ready"
        let outcome = try await attachd.process(photo, ["--store", store])
        #expect(outcome.outcome == "complete", "\(outcome.errors)")
        let url = try #require(outcome.value("/attachments/0/url")?.text)
        let folder = attachd.folder.url.appending(path: "ready/attachments").path
        #expect(url.hasPrefix("file://\(folder)/"), "\(url)")
        #expect(try JSONValue(parsing: Array(outcome.output.utf8))["my-attachment"]?.text == url)
    }
}
