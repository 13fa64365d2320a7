import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Declared types")
struct DeclaredTypeTests {
    @Test(
        "the media type is the text before the parameters, in lower case",
        arguments: [
            ("image/jpeg", "image/jpeg"), ("Image/SVG+XML; charset=utf-8", "image/svg+xml"),
            (" video/mp4 ", "video/mp4"),
            ("image/vnd.ms-photo;", "image/vnd.ms-photo"),
        ],
    )
    func essence(header: String, type: String) { #expect(DeclaredType.essence(of: header) == type) }

    @Test(
        "a malformed media type is ignored",
        arguments: [
            "", ";", "image", "image/", "/jpeg", "image/jpeg/x", "image/j\"peg", "image/j\u{1b}[31m", "bild/jpég",
            "image/" + String(repeating: "a", count: 122),
        ],
    )
    func noEssence(header: String) { #expect(DeclaredType.essence(of: header) == nil) }
}
