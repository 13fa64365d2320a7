import Base
import Jobs
import Media
import Payloads
import Preview
import Processing
import Support
import Testing

@testable import Sidecar

@Suite("The description of the HTTP API", .timeLimit(.minutes(10)))
struct OpenAPIDescriptionTests {
    private static let schemas: [String] = ["components", "schemas"]

    private static func description(
        _ categories: [NotificationCategory] = [],
        needsToken: Bool = false,
        hasMetrics: Bool = true,
    ) throws -> JSONValue {
        let description = OpenAPIDescription(
            profiles: ["apns", "shop"],
            dialects: ["shop-dialect"],
            categories: categories,
            needsToken: needsToken,
            hasMetrics: hasMetrics,
        )
        return try JSONValue(parsing: description.bytes)
    }

    private static func strings(_ description: JSONValue, _ tokens: String...) -> [String] {
        guard case .array(let values)? = description.value(at: JSONPointer(tokens: schemas + tokens)) else { return [] }
        return values.compactMap(\.text)
    }

    @Test("metrics that another server has are not described", arguments: [true, false])
    func metrics(areHere: Bool) throws {
        let paths = try Self.description(hasMetrics: areHere)["paths"]
        #expect((paths?["/metrics"] != nil) == areHere && paths?["/livez"] != nil)
    }

    @Test("the words that it lists are those of the program")
    func words() throws {
        let description = try Self.description()
        #expect(Self.strings(description, "Profile", "enum") == ["apns", "shop"])
        #expect(Self.strings(description, "Dialect", "enum") == ["shop-dialect"])
        #expect(Self.strings(description, "PushType", "enum") == PushType.allCases.map(\.rawValue))
        #expect(Self.strings(description, "Outcome", "enum") == ProcessingResult.Outcome.allCases.map(\.rawValue))
        #expect(Self.strings(description, "FormatName", "enum") == DisabledFormats.allNames)
        #expect(Self.strings(description, "Reason", "enum") == AttachmentFailure.Reason.allCases.map(\.rawValue))
        #expect(
            Set(Self.strings(description, "Attachment", "properties", "rung", "enum"))
                == Set(Rung.allCases.map(\.rawValue))
        )
        let statuses = JobReply.Status.allCases.filter { $0 != .cancelled }.map(\.rawValue)
        #expect(Self.strings(description, "JobState", "properties", "status", "enum") == statuses)
    }

    /// A duration, and whether the server takes it as a deadline, as a waiting time, and as a time in a clip.
    private static let durations: [(String, Bool, Bool, Bool)] = [
        ("0s", false, true, true), ("0ms", false, true, true), ("1ms", true, true, true), ("0.001s", true, true, true),
        ("0.5m", true, true, true), ("60s", true, true, true), ("60.001s", true, false, true),
        ("60000ms", true, true, true), ("60001ms", true, false, true), ("1m", true, true, true),
        ("299.999s", true, false, true), ("300s", true, false, true), ("300.000s", true, false, true),
        ("300.001s", false, false, true), ("300000ms", true, false, true), ("300001ms", false, false, true),
        ("5m", true, false, true), ("5.001m", false, false, true), ("24h", false, false, true),
        ("24.001h", false, false, false), ("86400s", false, false, true), ("86400.001s", false, false, false),
        ("86400001ms", false, false, false), ("1440m", false, false, true), ("1441m", false, false, false),
        ("5", false, false, false), ("s", false, false, false), ("-1s", false, false, false),
        ("1 s", false, false, false), ("1.2.3s", false, false, false), ("1e1s", false, false, false),
        ("٣s", false, false, false), ("", false, false, false),
    ]

    @Test("durations are described exactly as the server takes them", arguments: durations)
    func duration(text: String, isDeadline: Bool, isWait: Bool, isClipTime: Bool) throws {
        let description = try Self.description()
        for (name, isValid) in [("Deadline", isDeadline), ("Wait", isWait), ("ClipTime", isClipTime)] {
            let pattern = try #require(
                description.value(at: JSONPointer(tokens: Self.schemas + [name, "pattern"]))?.text
            )
            #expect(try (Regex(pattern).wholeMatch(in: text) != nil) == isValid, "\(name)")
        }
        let duration = DurationText.parse(text)
        #expect(isWait == (duration.map { $0 <= .seconds(60) } ?? false))
        #expect(isClipTime == (Self.clip(text) != nil))
        #expect(isDeadline == (duration.map { $0 > .zero && $0 <= NotificationService.longestTimeLimit } ?? false))
    }

    private static func clip(_ text: String) -> NotificationEnvelope? {
        let envelope: JSONValue = ["payload": ["aps": [:]], "clip": ["start": .string(text)]]
        return try? NotificationEnvelope(envelope.compactBytes)
    }

    @Test("a list has as many items as the server takes")
    func lists() throws {
        let description = try Self.description()
        for name in ["PayloadList", "EnvelopeList", "RewrittenList", "ResultList"] {
            let schema = description.value(at: JSONPointer(tokens: Self.schemas + [name]))
            #expect(schema?["minItems"] == 1 && schema?["maxItems"] == .integer(ListLimits.itemLimit))
        }
    }

    @Test("a category's actions are described, each with its text or without")
    func actions() throws {
        let category = NotificationCategory(
            identifier: "message",
            actions: [
                NotificationAction(identifier: "reply", title: "Reply", textInput: .init()),
                NotificationAction(identifier: "delete", title: "Delete"),
            ]
        )
        let description = try Self.description([category])
        let names = ["SystemResponse", "ActionResponse1", "ActionResponse2"]
        let variants = description.value(at: JSONPointer(tokens: Self.schemas + ["NotificationResponse", "anyOf"]))
        #expect(variants == .array(names.map { ["$ref": .string("#/components/schemas/\($0)")] }))
        let forms = names.map { description.value(at: JSONPointer(tokens: Self.schemas + [$0])) ?? .null }
        let identifier = JSONPointer(tokens: ["properties", "actionIdentifier", "const"])
        #expect(forms[1].value(at: identifier) == "reply")
        #expect(forms[1]["required"] == ["actionIdentifier", "userText", "notification"])
        #expect(forms[2].value(at: identifier) == "delete" && forms[2]["not"] == ["required": ["userText"]])
    }

    @Test("a server with a token demands it, and another one does not")
    func security() throws {
        #expect(try Self.description()["security"] == [["token": []], [:]])
        #expect(try Self.description(needsToken: true, hasMetrics: true)["security"] == [["token": []]])
    }

    @Test(
        "a refused request says what would have been right",
        arguments: [
            ("/v1/rewrite", #"{"payload":{"aps":{}}}"#, "Send it to /v1/notifications"),
            ("/v1/rewrite", "1", #"{"aps": {"#), ("/v1/rewrite", #"{"a":1}"#, #"{"aps": {"#),
            ("/v1/rewrite", #"{"a":1}"#, "fcm-message, amazon-sns"), ("/v1/rewrite", #"{"a":1}"#, "`attachd dialects"),
            ("/v1/rewrite", "[]", "Send 1 to 100"),
            ("/v1/notifications", #"{"aps":{}}"#, "use /v1/rewrite"),
            ("/v1/notifications", #"{"payload":{"aps":{}},"deadline":5}"#, #"Write it as "800ms""#),
            ("/v1/notifications", #"{"payload":{"aps":{}},"pushType":5}"#, "alert, voip"),
            ("/v1/notifications", #"{"payload":{"aps":{}},"id":5}"#, "a string of 1 to 128 bytes, such as"),
            ("/v1/notifications", #"{"payload":{"aps":{}},"id":""}"#, "a string of 1 to 128 bytes, such as"),
            (
                "/v1/notifications", #"{"payload":{"aps":{}},"callback":"https://a.example"}"#,
                "Send the envelope to /v1/jobs"
            ),
            ("/v1/notifications", #"{"payload":{"aps":{}},"focus":{"x":2}}"#, #"{"x": 0.5, "y": 0.2}"#),
            ("/v1/notifications", #"{"payload":{"aps":{}},"clip":{"start":"25h"}}"#, "at most 24h"),
            ("/v1/notifications", #"{"payload":{"aps":{}},"deadlin":"5s"}"#, "deadline"),
        ]
    )
    func advice(path: String, body: String, words: String) async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await sidecar.send("POST", path, body)
            #expect(answer.status == 422)
            #expect(try JSONValue(parsing: answer.body)["detail"]?.text?.contains(words) == true, "\(answer.text)")
        }
    }
}
