import Payloads
import Testing

@testable import Batch

/// Tests that `--resume` treats the manifest as untrusted input.
@Suite("A manifest that somebody changed")
struct HostileManifestTests {
    private func line(_ text: String) throws -> ManifestLine {
        ManifestLine(json: try JSONValue(parsing: Array(text.utf8)))
    }

    @Test(
        "leads to no file outside the folder",
        arguments: ["../a.jpg", "a/../../b", "/etc/passwd", "", ".", "a/./b", "a\\u0000b", ".."],
    )
    func paths(path: String) throws {
        #expect(try line(#"{"path":"\#(path)","output":"\#(path)"}"#).path == nil)
        #expect(try line(#"{"path":"\#(path)","output":"\#(path)"}"#).output == nil)
        #expect(try line(#"{"path":"a/..b/.c"}"#).path == RelativePath("a/..b/.c"))
        // "../a" in base64.
        #expect(try line(#"{"path":"a","pathBytes":"Li4vYQ=="}"#).path == nil)
    }

    @Test(
        "may have numbers of any size, and the report shows them",
        arguments: [
            "1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "1e999", "0", "-0", "0.1", "1e-300",
            "999999999999999999999999",
        ],
    )
    func numbers(number: String) throws {
        let text = """
            {"path":"a","outcome":"complete","bytes":\(number),"sha256":"a","options":"b","errors":[],
            "timings":{"total":\(number)},"attachments":[{"bytes":\(number),"width":\(number),"height":1,
            "frames":\(number),"duration":\(number),"mime":"image/jpeg",
            "source":{"width":\(number),"height":\(number),"bytes":\(number),"duration":\(number)}}]}
            """
        let row = ReportRow(try line(text), preview: [1])
        #expect(row.context["outcome"] as? String == "complete")
    }
}
