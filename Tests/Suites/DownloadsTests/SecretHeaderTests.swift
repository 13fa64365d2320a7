import Base
import Downloads
import HTTPClient
import Testing

@Suite("Headers with secrets")
struct SecretHeaderTests {
    @Test(
        "a header that would break its request is refused",
        arguments: [
            "Host", "content-length", "Transfer-Encoding", "RANGE", "If-Range", "If-None-Match", "Accept-Encoding",
            "Connection", "Expect", "Proxy-Authorization", "", "A B", "A:", "Ä", "A\r\nB", "A\n", "A\0",
        ]
    )
    func names(name: String) {
        #expect(throws: SecretHeader.FieldError.self) { try SecretHeader(name, value: Secret("a")) }
    }

    @Test(
        "a signed request has some headers already",
        arguments: ["Authorization", "X-Amz-Date", "x-amz-security-token", "X-Amz-Content-Sha256", "Date"]
    )
    func signed(name: String) throws {
        #expect(throws: SecretHeader.FieldError.self) { try SecretHeader(name, value: Secret("a"), isSigned: true) }
        _ = try SecretHeader(name, value: Secret("a"))
    }

    @Test(
        "white space around a value, such as the line break at a file's end, is not a part of it",
        arguments: ["Bearer a b", "Bearer a b\n", "Bearer a b\r\n\n", " \tBearer a b \n"]
    )
    func trimmed(text: String) throws {
        #expect(try SecretHeader.value(from: Secret(text)).revealed == "Bearer a b")
    }

    @Test(
        "a value that would end its line is refused",
        arguments: ["", " \n", "a\nb", "a\r\nHost: b", "a\0", "a\u{7F}"]
    )
    func values(text: String) {
        let error = #expect(throws: SecretHeader.FieldError.self) { try SecretHeader.value(from: Secret(text)) }
        #expect(error.map { !$0.description.contains("Host") } == true)
    }

    @Test("neither a header nor its rule shows the value")
    func description() throws {
        let header = try SecretHeader("Authorization", value: Secret("Bearer hidden"))
        var text = ""
        dump(SourceAccess(headers: [header]), to: &text)
        #expect(!text.contains("hidden") && !"\(header)".contains("hidden"))
    }
}
