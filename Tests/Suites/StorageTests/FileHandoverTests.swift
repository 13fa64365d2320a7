import Storage
import Testing

@Suite("The server in front that sends ready files")
struct FileHandoverTests {
    @Test(
        "is nginx with a prefix, or any with X-Sendfile",
        arguments: [
            ("nginx:/ready", FileHandover.nginx(prefix: "/ready")), ("nginx:/a/b/", .nginx(prefix: "/a/b")),
            ("sendfile", .sendfile), ("nginx:/", nil), ("nginx:ready", nil), ("nginx:", nil), ("nginx", nil), ("", nil),
            ("nginx:/a b", nil), ("nginx:/a\r\nX: 1", nil), ("nginx:/a/../b", nil), ("nginx:/a?b", nil),
            ("nginx:/é", nil), ("Sendfile", nil), ("sendfile:/a", nil),
        ]
    )
    func parses(text: String, handover: FileHandover?) { #expect(FileHandover(text) == handover) }
}
