import Foundation
import Testing

@testable import NotificationAttachments

@Suite("A file that is being downloaded")
struct IncomingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ entry: AttachmentEntry = AttachmentEntry(url: URL(string: "https://x.example/a")))
        -> IncomingFile
    {
        IncomingFile(entry, at: folder.url.appending(path: "0"))
    }

    @Test("is complete with the bytes and the digest that the payload says")
    func complete() throws {
        let file = file(AttachmentEntry(type: "public.jpeg", byteCount: Answer.photoSize, sha256: Answer.photoDigest))
        try file.begin(status: 200, mimeType: "image/jpeg", length: Int64(Answer.photoSize))
        try file.append(Data("a photo ".utf8))
        try file.append(Data("in two pieces".utf8))
        #expect(try file.finish().identifier == "public.jpeg")
        #expect(try String(contentsOf: file.url, encoding: .utf8) == "a photo in two pieces")
        #expect(file.url.lastPathComponent == "0.jpg")
    }

    @Test("is refused with a status other than 200", arguments: [204, 206, 301, 304, 403, 404, 410, 429, 500, 503])
    func status(code: Int) {
        #expect(throws: DownloadError.status(code)) {
            try file().begin(status: code, mimeType: "image/jpeg", length: 5)
        }
    }

    @Test(
        "is refused with the wrong type",
        arguments: [
            ("public.jpeg", "text/html", "a.jpg"), ("public.jpeg", "video/mp4", "a.jpg"),
            ("public.mp3", "image/png", "a"),
            (nil, "text/html", "a.jpg"), (nil, "image/webp", "a.webp"), (nil, nil, "a.heic"), (nil, nil, "a"),
        ]
    )
    func wrongType(named: String?, answered: String?, path: String) {
        let entry = AttachmentEntry(url: URL(string: "https://x.example/\(path)"), type: named)
        #expect(throws: DownloadError.wrongType) {
            try file(entry).begin(status: 200, mimeType: answered, length: 5)
        }
    }

    @Test(
        "takes its type from the payload, then the answer, then the URL",
        arguments: [
            ("public.png", "image/jpeg", "a.gif", "png"), ("public.jpeg", "application/octet-stream", "a", "jpg"),
            (nil, "image/png", "a.jpg", "png"), (nil, "application/octet-stream", "a.GIF", "gif"),
            (nil, nil, "a.mp4", "mp4"),
            ("org.webmproject.webp", "image/jpeg", "a", "jpg"),
        ]
    )
    func type(named: String?, answered: String?, path: String, fileExtension: String) throws {
        let file = file(AttachmentEntry(url: URL(string: "https://x.example/\(path)?x=1.bin"), type: named))
        try file.begin(status: 200, mimeType: answered, length: -1)
        #expect(file.url.pathExtension == fileExtension)
    }

    @Test("is refused before the first byte if the origin says that it is too big", arguments: [22, 10_000_001, .max])
    func announcedTooBig(length: Int64) {
        let entry = AttachmentEntry(type: "public.jpeg", byteCount: length == 22 ? 21 : nil)
        #expect(throws: DownloadError.tooBig) {
            try file(entry).begin(status: 200, mimeType: nil, length: length)
        }
        #expect(folder.files.isEmpty)
    }

    @Test("is refused as soon as it is too big, whatever the origin said", arguments: [-1, 10])
    func tooBig(length: Int64) throws {
        let file = file(AttachmentEntry(type: "public.jpeg", byteCount: 10))
        try file.begin(status: 200, mimeType: nil, length: length)
        try file.append(Data(count: 10))
        #expect(throws: DownloadError.tooBig) { try file.append(Data(count: 1)) }
    }

    @Test("is never larger than the system takes, also if the payload says so")
    func systemLimit() throws {
        let file = file(AttachmentEntry(type: "public.mp3", byteCount: 6_000_000))
        try file.begin(status: 200, mimeType: nil, length: -1)
        #expect(throws: DownloadError.tooBig) { try file.append(Data(count: 5_000_001)) }
    }

    @Test("is refused if it is shorter than the payload says, or empty", arguments: [(20, 21), (0, nil)])
    func tooShort(bytes: Int, said: Int?) throws {
        let file = file(AttachmentEntry(type: "public.jpeg", byteCount: said))
        try file.begin(status: 200, mimeType: nil, length: -1)
        try file.append(Data(count: bytes))
        #expect(throws: DownloadError.wrongLength) { try file.finish() }
    }

    @Test("is refused with another digest, also with the right length")
    func wrongDigest() throws {
        let file = file(
            AttachmentEntry(type: "public.jpeg", byteCount: Answer.photoSize, sha256: Answer.photoDigest)
        )
        try file.begin(status: 200, mimeType: nil, length: -1)
        try file.append(Data("A photo in two pieces".utf8))
        #expect(throws: DownloadError.wrongDigest) { try file.finish() }
    }

    @Test("leaves nothing behind when it is discarded")
    func discarded() throws {
        let file = file(AttachmentEntry(type: "public.jpeg"))
        try file.begin(status: 200, mimeType: nil, length: -1)
        try file.append(Data(count: 5))
        #expect(folder.files == ["0.jpg"])
        file.discard()
        #expect(folder.files.isEmpty)
    }
}
