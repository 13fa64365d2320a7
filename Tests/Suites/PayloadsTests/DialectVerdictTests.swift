import Media
import Payloads
import Testing

@Suite("Verdicts of dialects")
struct DialectVerdictTests {
    private static func verdicts(_ text: String) throws -> [String: DialectVerdict] {
        let verdicts = PayloadReader().verdicts(on: try JSONValue(parsing: Array(text.utf8)))
        #expect(verdicts.map(\.dialect) == Dialect.builtIn.map(\.name))
        return Dictionary(uniqueKeysWithValues: verdicts.map { ($0.dialect, $0) })
    }

    @Test("of two dialects that match, the first is used, and both say where the URL is")
    func match() throws {
        let verdicts = try Self.verdicts(
            #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://a/1","ab":{"att":{"url":"https://a/2"}}}"#
        )
        #expect(verdicts.values.count { $0.match != .none } == 2)
        #expect(verdicts["braze"]?.match == .used && verdicts["braze"]?.reason == "/ab/att/url")
        let other = try #require(verdicts["my-attachment"])
        #expect(other.match == .matches && other.pointers.map(\.description) == ["/my-attachment"])
        #expect(other.reason == "/my-attachment; but braze comes first")
    }

    @Test(
        "a dialect that does not match names what it misses",
        arguments: [
            (#"{"aps":{"alert":"Hi","mutable-content":1}}"#, "my-attachment", "/my-attachment is not there"),
            (#"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":1}"#, "my-attachment", "is not a string"),
            (#"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":" "}"#, "my-attachment", "is empty"),
            (
                #"{"aps":{"alert":"Hi","mutable-content":1},"att":{"a":"file.png"}}"#, "onesignal",
                "/att/a is not an absolute URL"
            ),
            (
                #"{"aps":{"alert":"Hi","mutable-content":1},"com.batch":{"at":{"u":"https://a/1"}}}"#, "batch",
                "/com.batch/at/t is missing"
            ),
            (#"{"aps":{"alert":"Hi"},"my-attachment":"https://a/1"}"#, "my-attachment", "mutable-content is neither"),
            (#"{"aps":{"alert":"Hi","mutable-content":1}}"#, "gorush", "this is a push payload, with aps"),
            (#"{"topic":"t","notification":{"title":"T"}}"#, "gorush", "there is no /notifications/*/platform"),
            (#"{"topic":"t","notification":{"title":"T"}}"#, "fcm-bare-message", "/notification/image is not there"),
            (#"{"to":"x","richContent":{"image":"https://a/1"}}"#, "expo-request", "no alert shows"),
            (#"{"to":"x","title":"T"}"#, "braze", "a request as expo-request has none"),
            (#"{"a":1}"#, "braze", "there is no aps object"),
            (#"{"a":1}"#, "ntfy-request", "there is no /topic"),
            ("[]", "expo-request-list", "there is no /0/to or /0/richContent/image"),
        ]
    )
    func objection(text: String, dialect: String, words: String) throws {
        let verdicts = try Self.verdicts(text)
        let verdict = try #require(verdicts[dialect])
        #expect(verdict.match == .none && verdict.pointers.isEmpty)
        #expect(verdict.reason.contains(words), "\(verdict.reason)")
    }

    @Test("every golden payload in which its dialect finds something has that verdict", arguments: Golden.all)
    func golden(_ golden: Golden) throws {
        let payload = try #require(golden.json["payload"])
        let verdicts = try golden.reader.verdicts(on: payload)
        let verdict = try #require(verdicts.first { $0.dialect == golden.dialect })
        #expect((verdict.match != .none) == !golden.elements("found").isEmpty || golden.isWrapping)
        #expect(verdicts.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("an array of messages is one request of its service, and any other array is no payload")
    func arrays() throws {
        let reader = PayloadReader()
        let list = Array(#"[{"to":"x","title":"T","richContent":{"image":"https://a/1"}},{"to":"y","body":"B"}]"#.utf8)
        #expect(try reader.read(list, identifier: "n").attachments.map(\.dialect) == ["expo-request-list"])
        #expect(throws: PayloadError.notAnObject) { try reader.read(Array("[]".utf8), identifier: "n") }
    }

    @Test("the service that is asked for by name reads a request that fits an earlier one, too")
    func pinned() throws {
        let text = #"{"to":"x","title":"T","image":"https://a/1"}"#
        let request = try PayloadReader().read(Array(text.utf8), identifier: "n", dialect: "web-push")
        #expect(request.attachments.map(\.dialect) == ["web-push"])
    }

    @Test("a web push counts the bytes of its encryption")
    func webPush() throws {
        let request = try PayloadReader().read(Array(#"{"title":"T","icon":"","vibrate":[1]}"#.utf8), identifier: "n")
        #expect(request.byteCount(of: request.payload) == request.payload.compactBytes.count + 103)
    }

    @Test("every field beside a URL is listed with its use")
    func fields() {
        let fields = Dictionary(uniqueKeysWithValues: Dialect.builtIn.map { ($0.name, $0.fields) })
        for dialect in Dialect.builtIn {
            let listed = Set(dialect.fields.map(\.pattern))
            for path in dialect.paths {
                #expect(Set(path.companions.map(\.field) + path.required + path.identifiers).isSubset(of: listed))
            }
        }
        #expect(fields["klaviyo"]?.first?.use == "becomes the file's extension; added where it is missing")
        #expect(fields["batch"]?.count == 2 && fields["adobe"]?.isEmpty == true)
    }
}
