import Foundation
import Testing

@testable import NotificationAttachments

@Suite("A notification's best attempt")
struct BestAttemptTests {
    private let folder: TemporaryFolder
    private let deliveries = Deliveries<[String]>()
    /// The names of the attachments that were made.
    private let made = Deliveries<String>()
    private static let inline = InlinePicture(["thumbhash": "EOcFFYItd2ZwiZd1h4iIdnZwbgbn"])

    init() throws { folder = try TemporaryFolder() }

    private func entry(_ name: String, hasInline: Bool = true, byteCount: Int? = nil) -> AttachmentEntry {
        AttachmentEntry(
            identifier: name,
            url: URL(string: "https://x.example/\(name)"),
            byteCount: byteCount,
            inline: hasInline ? Self.inline : nil
        )
    }

    /// An attempt whose attachments are texts: the identifier and the file's name.
    private func attempt(_ entries: [AttachmentEntry], over network: FakeNetwork) -> BestAttempt<String> {
        BestAttempt(
            entries,
            in: folder.url,
            over: network,
            make: { identifier, file, _ in
                guard identifier != "refused" else { throw FakeNetwork.Broken() }
                made.add(identifier)
                return "\(identifier): \(file.lastPathComponent)"
            },
            deliver: deliveries.add
        )
    }

    @Test("has all attachments in the payload's order when everything is there")
    func everything() async {
        let network = FakeNetwork(["b": .photo, "a": .complete(mimeType: "image/png", pieces: [Data(count: 9)])])
        await attempt([entry("b"), entry("a")], over: network).start().value
        #expect(deliveries.all == [["b: 0.jpg", "a: 1.png"]])
    }

    @Test("downloads all attachments at once")
    func atOnce() async {
        let names = ["a", "b", "c", "d"]
        let network = FakeNetwork(Dictionary(uniqueKeysWithValues: names.map { ($0, .stalls(after: 1)) }))
        let attempt = attempt(names.map { entry($0) }, over: network)
        let work = attempt.start()
        // None of them ends, so that all four can only send if none waits for another one.
        await network.until(4)
        attempt.finish()
        await work.value
        #expect(deliveries.all.count == 1)
    }

    @Test(
        "is delivered at once when everything has failed: the pictures inside the payload",
        arguments: [
            Answer.complete(status: 404, pieces: []), .complete(mimeType: "text/html", pieces: []), .breaks(after: 5),
            .complete(length: 99_000_000, pieces: []), .complete(pieces: []), .complete(pieces: [Data(count: 22)]),
            .complete(pieces: [Data(count: 20)]),
        ]
    )
    func failed(answer: Answer) async {
        await attempt([entry("a", byteCount: 21)], over: FakeNetwork(["a": answer])).start().value
        #expect(deliveries.all == [["a: inline-0.png"]])
        #expect(folder.files.map { $0.split(separator: "/").last } == ["inline-0.png"])
    }

    @Test("is the original if everything has failed and the payload has no picture")
    func original() async {
        await attempt([entry("a", hasInline: false)], over: FakeNetwork([:])).start().value
        #expect(deliveries.all == [[]])
    }

    @Test("is the original if there is nothing to attach")
    func nothing() async {
        await attempt([], over: FakeNetwork([:])).start().value
        #expect(deliveries.all == [[]])
    }

    @Test("is the picture inside the payload if there is no URL")
    func inlineOnly() async {
        var entry = entry("a")
        entry.url = nil
        await attempt([entry], over: FakeNetwork([:])).start().value
        #expect(deliveries.all == [["a: inline-0.png"]])
    }

    @Test("has the attachments that are ready, also if others have failed")
    func some() async {
        let network = FakeNetwork(["b": .photo])
        await attempt([entry("a"), entry("b"), entry("c")], over: network).start().value
        #expect(deliveries.all == [["b: 1.jpg"]])
    }

    @Test("goes on without an attachment that the system refuses")
    func refused() async {
        let network = FakeNetwork(["refused": .photo, "b": .photo])
        await attempt([entry("refused"), entry("b")], over: network).start().value
        #expect(deliveries.all == [["b: 1.jpg"]])
    }

    // MARK: The time is up

    @Test("has what is ready when the time is up", arguments: [0, 1, 20])
    func expiryWithSome(bytes: Int) async {
        let network = FakeNetwork(["a": .photo, "b": .stalls(after: bytes)])
        let attempt = attempt([entry("a"), entry("b")], over: network)
        let work = attempt.start()
        await network.until(2)
        // A download that has sent everything is made into an attachment a moment later.
        _ = await made.first()
        attempt.finish()
        #expect(deliveries.all == [["a: 0.jpg"]])
        await work.value
        #expect(deliveries.all.count == 1)
        #expect(folder.files.map { $0.split(separator: "/").last } == ["0.jpg"])
    }

    @Test(
        "has the pictures inside the payload when the time is up and nothing is ready, else it is the original",
        arguments: [(true, ["a: inline-0.png", "b: inline-1.png"]), (false, [])]
    )
    func expiryWithNone(hasInline: Bool, delivered: [String]) async {
        let network = FakeNetwork(["a": .stalls(after: 0), "b": .stalls(after: 9)])
        let attempt = attempt([entry("a", hasInline: hasInline), entry("b", hasInline: hasInline)], over: network)
        let work = attempt.start()
        await network.until(2)
        attempt.finish()
        #expect(deliveries.all == [delivered])
        await work.value
        #expect(deliveries.all.count == 1)
    }

    @Test("is delivered when the time is up before anything has begun, and only then")
    func expiryBeforeStart() async {
        let attempt = attempt([entry("a", hasInline: false)], over: FakeNetwork(["a": .photo]))
        attempt.finish()
        #expect(deliveries.all == [[]])
        await attempt.start().value
        #expect(deliveries.all.count == 1)
    }

    @Test("is not delivered again when the time is up afterwards")
    func expiryAfterDelivery() async {
        let attempt = attempt([entry("a")], over: FakeNetwork(["a": .photo]))
        await attempt.start().value
        attempt.finish()
        attempt.finish()
        #expect(deliveries.all == [["a: 0.jpg"]])
    }

    @Test("is delivered once when its downloads end and the time is up in the same moment", arguments: 1...8)
    func race(round: Int) async {
        for _ in 0..<25 {
            let deliveries = Deliveries<[String]>()
            let network = FakeNetwork(["a": .photo, "b": .photo])
            let attempt = BestAttempt(
                [entry("a"), entry("b")],
                in: folder.url,
                over: network,
                make: { name, _, _ in name },
                deliver: deliveries.add
            )
            let work = attempt.start()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<round { group.addTask { attempt.finish() } }
            }
            await work.value
            #expect(deliveries.all.count == 1)
        }
    }
}
