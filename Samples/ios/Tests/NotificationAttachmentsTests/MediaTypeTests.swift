import Testing

@testable import NotificationAttachments

@Suite("Types of files")
struct MediaTypeTests {
    @Test(
        "a type is found by each of its names",
        arguments: [
            ("public.jpeg", "jpg"), ("image/jpeg", "jpg"), ("JPEG", "jpg"), ("image/png", "png"), ("gif", "gif"),
            ("public.mpeg-4", "mp4"), ("audio/mp4", "m4a"), ("audio/x-wav", "wav"), ("public.mp3", "mp3"),
            ("aif", "aiff"),
        ]
    )
    func names(name: String, fileExtension: String) {
        #expect(MediaType.named(name)?.fileExtension == fileExtension)
    }

    @Test(
        "a type that the system refuses is not found",
        arguments: ["image/webp", "public.heic", "video/quicktime", "text/html", "", nil]
    )
    func unknown(name: String?) {
        #expect(MediaType.named(name) == nil)
    }

    @Test("the limits are Apple's", arguments: [("jpg", 10_000_000), ("mp3", 5_000_000), ("mp4", 50_000_000)])
    func limits(name: String, bytes: Int) {
        #expect(MediaType.named(name)?.limit == bytes)
    }
}
