import Payloads
import Testing

@testable import Batch

/// With `--resume`, the manifest is input like any other.
@Suite("A manifest that somebody changed")
struct HostileManifestTests {
    private func line(_ text: String) throws -> ManifestLine {
        ManifestLine(json: try JSONValue(parsing: Array(text.utf8)))
    }

    @Test(
        "leads out of the folder nowhere",
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
        "has numbers of any size in the report",
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
