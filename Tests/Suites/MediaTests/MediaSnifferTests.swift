import Media
import Support
import Testing

@Suite("The media sniffer")
struct MediaSnifferTests {
    /// The formats of the shared files by filename extension, according to their manifest.
    private static let formats: [String: Set<MediaFormat>] = [
        "jpg": [.jpeg], "png": [.png], "apng": [.png], "gif": [.gif], "webp": [.webp], "heic": [.heic], "avif": [.avif],
        "tif": [.tiff], "tiff": [.tiff], "mp4": [.mp4, .m4v, .quickTime], "mov": [.quickTime], "mkv": [.matroska],
        "webm": [.webm], "avi": [.avi], "mpg": [.mpegProgramStream], "ts": [.mpegTransportStream], "3gp": [.threeGPP],
        "mp3": [.mp3], "m4a": [.m4a], "aac": [.aac], "wav": [.wav], "aif": [.aiff], "flac": [.flac], "ogg": [.ogg],
        "opus": [.ogg],
    ]

    @Test(
        "a well-known format that is not supported is named",
        arguments: [
            ("BM\u{46}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "BMP"), ("%PDF-1.7", "PDF"), ("<svg xmlns", "SVG"),
            ("8BPS\u{0}\u{1}", "PSD"),
            ("\u{0}\u{0}\u{0}\u{18}ftypcrx ", "Canon"), ("\u{0}\u{0}\u{0}\u{C}JXL ", "JPEG XL"),
        ]
    )
    func unsupported(start: String, name: String) {
        let bytes = Array(start.utf8) + [UInt8](repeating: 0, count: 100)
        #expect(MediaSniffer.format(of: bytes.span) == nil)
        #expect(MediaSniffer.unrecognized(bytes.span).message.contains(name))
        #expect(!MediaSniffer.unrecognized([UInt8](repeating: 7, count: 100).span).message.contains("It is"))
    }

    @Test(
        "the format of every real file is recognised from its bytes",
        .needsSharedMedia,
        arguments: ["images", "video", "audio", "privacy"].flatMap(SharedMedia.paths),
    )
    func realFiles(path: String) throws {
        let fileExtension = try #require(path.split(separator: ".").last)
        let head = try SharedMedia.bytes(path).prefix(MediaSniffer.byteCount)
        let format = MediaSniffer.format(of: Array(head).span)
        guard let expected = Self.formats[String(fileExtension)] else {
            #expect(format == nil, "\(path) is of no format that is accepted")
            return
        }
        #expect(format.map(expected.contains) == true, "\(path) was taken for \(String(describing: format))")
    }

    @Test(
        "a file that is not media of a known format is not recognised",
        arguments: [
            "", "<", "<html><body>Not found</body></html>", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "%PDF-1.7",
            "#EXTM3U\n#EXT-X-VERSION:3", "P6 1 1 255 abc", "BM6\u{0}\u{0}\u{0}", "ffconcat version 1.0",
            "RIFF\u{4}\u{0}\u{0}\u{0}XXXX", "GIF88a", "{\"json\": true}", "\u{1F}\u{8B}",
        ],
    )
    func unknown(text: String) {
        #expect(MediaSniffer.format(of: Array(text.utf8).span) == nil)
    }

    @Test("a known signature that is truncated anywhere causes no trap", .needsSharedMedia)
    func cuts() throws {
        for path in SharedMedia.paths(in: "images") + SharedMedia.paths(in: "video") {
            let head = try Array(SharedMedia.bytes(path).prefix(64))
            for count in 0...head.count { _ = MediaSniffer.format(of: Array(head.prefix(count)).span) }
        }
    }

    @Test("every format has its own type identifier, media type and extension")
    func names() {
        #expect(Set(MediaFormat.allCases.map(\.typeIdentifier)).count == MediaFormat.allCases.count)
        #expect(Set(MediaFormat.allCases.map(\.filenameExtension)).count == MediaFormat.allCases.count)
        #expect(MediaFormat.allCases.allSatisfy { $0.mimeType.hasPrefix("\($0.kind.rawValue)/") })
    }
}
