import Base
import Foundation
import Media
import Payloads
import Testing

@testable import Processing

@Suite("Entries of the index of prepared attachments")
struct PreparedEntryTests {
    private static let attachment: PreparedAttachment = {
        var source = SourceFacts()
        source.format = .heic
        source.byteCount = 4_585_079
        source.report = SourceReport(width: 4230, height: 2379, frames: 1)
        return PreparedAttachment(
            stored: StoredFile(
                identifier: "76csaxrchfb7eksjdqgppfisuj.jpg",
                url: "https://cdn.example/76csaxrchfb7eksjdqgppfisuj.jpg",
                sha256: String(repeating: "ab", count: 32)
            ),
            report: RungReport(
                rung: .downscaled,
                format: .jpeg,
                byteCount: 48_211,
                width: 1038,
                height: 584,
                frames: 1,
                focus: FocalPoint(x: 0.25, y: 0.5),
                inline: InlinePicture(
                    thumbHash: Array(Data(base64Encoded: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w") ?? Data()),
                    pictures: [[1, 2, 3], [4]]
                )
            ),
            source: source,
            until: UnixTime(seconds: 1_796_148_000)
        )
    }()

    private static func read(_ json: JSONValue) -> PreparedAttachment? {
        PreparedAttachment(json, url: { "https://cdn.example/\($0)" })
    }

    @Test("an entry is read as it was written")
    func roundTrip() throws {
        let bytes = Self.attachment.json.compactBytes
        #expect(Self.read(try JSONValue(parsing: bytes)) == Self.attachment)
    }

    @Test(
        "an entry with a value that cannot be is not read",
        arguments: [
            ("/name", .null), ("/sha256", "abc"), ("/until", -1), ("/until", "2026"), ("/rung", "best"),
            ("/format", "svg"), ("/bytes", -5), ("/bytes", .number("1e400")), ("/source", .null),
            ("/source/format", "svg"), ("/inline", "x"), ("/inline/thumbhash", "AAAA"), ("/inline/format", "mp4"),
            ("/inline/pictures", [1]), ("/inline/pictures", ["", "AA==", "AA=="]),
        ] as [(String, JSONValue)]
    )
    func hostile(pointer: String, value: JSONValue) throws {
        var json = Self.attachment.json
        let isSet = json.set(at: try JSONPointer(pointer), to: value)
        #expect(isSet)
        #expect(Self.read(json) == nil)
    }

    @Test("a name has every wish for the output, and the same wishes have the same name")
    func names() {
        func name(_ url: String = "https://a/1", _ change: (inout Profile) -> Void = { _ in }) -> PreparedName? {
            var profile = Profile.apns
            change(&profile)
            let request = SourceRequest(url: url, profile: profile, accepted: Instant(sinceOrigin: .zero))
            return request.wantedAttachment(by: SourceResolver(rules: [])).prepared.flatMap { PreparedName($0) }
        }
        let names = [
            name(), name("https://a/2"), name { $0.image.byteBudget -= 1 }, name { $0.image.inline = .hash },
            name { $0.image.formats = [.webp, .jpeg] }, name { $0.animation = nil }, name { $0.video?.longEdge = 480 },
            name { $0.audio?.byteLimit = 7 }, name { $0.image.aspectRatio = AspectRatio(width: 2, height: 1) },
        ]
        #expect(Set(names).count == names.count && !names.contains(nil))
        #expect(name() == name() && name { $0.name = "other" } == name())
    }
}
