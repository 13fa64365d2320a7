import Payloads
import Preview
import Testing

@Suite("Responses and their answers")
struct ResponseTests {
    private let categories = [
        NotificationCategory(
            identifier: "event-invite",
            actions: [
                NotificationAction(identifier: "accept", title: "Accept"),
                NotificationAction(identifier: "comment", title: "Comment", textInput: .init()),
            ],
        )
    ]

    private func response(_ action: String, text: String? = nil, category: String = "event-invite") throws
        -> NotificationResponse
    {
        let userText = text.map { ",\"userText\":\"\($0)\"" } ?? ""
        let json = """
            {"actionIdentifier":"\(action)"\(userText),"notification":{"identifier":"n",
            "payload":{"aps":{"alert":{"title":"T"},"category":"\(category)"},"location":"L"}}}
            """
        return try NotificationResponse(Array(json.utf8), categories: categories)
    }

    @Test("the webhook gets the action, the text and the content")
    func message() throws {
        let message = try JSONValue(parsing: response("comment", text: "Hello").message)
        #expect(message["actionIdentifier"] == "comment")
        #expect(message["userText"] == "Hello")
        let content = message["notification"]?["content"]
        #expect(message["notification"]?["identifier"] == "n")
        #expect(content?["title"] == "T" && content?["categoryIdentifier"] == "event-invite")
        #expect(content?["userInfo"]?["location"] == "L")
    }

    @Test(
        "the system's own actions always exist",
        arguments: [NotificationAction.defaultIdentifier, NotificationAction.dismissIdentifier]
    )
    func systemActions(action: String) throws {
        #expect(try response(action, category: "other").actionIdentifier == action)
    }

    @Test("an action that the category doesn't have is refused, and the message lists its actions")
    func unknownAction() {
        let error = #expect(throws: ResponseError.self) { try response("maybe") }
        #expect(error?.description.contains("accept, comment") == true)
    }

    @Test("a text that is not a string is refused", arguments: ["5", "null", "{}", "[\"a\"]"])
    func invalidText(text: String) {
        let json = """
            {"actionIdentifier":"\(NotificationAction.defaultIdentifier)","userText":\(text),
            "notification":{"identifier":"n","payload":{"aps":{}}}}
            """
        let error = #expect(throws: ResponseError.self) {
            try NotificationResponse(Array(json.utf8), categories: categories)
        }
        #expect(error?.description.contains("must be a string") == true)
    }

    @Test("text is allowed with text input only")
    func text() {
        #expect(throws: ResponseError.self) { try response("comment") }
        #expect(throws: ResponseError.self) { try response("accept", text: "x") }
    }

    @Test(
        "an invalid response is refused",
        arguments: ["", "[]", "{}", #"{"actionIdentifier":"accept","notification":{"identifier":"n"}}"#]
    )
    func malformed(json: String) {
        #expect(throws: ResponseError.self) { try NotificationResponse(Array(json.utf8), categories: categories) }
    }

    @Test("an answer has an option, and optionally content", arguments: ResponseAnswer.Option.allCases)
    func answer(option: ResponseAnswer.Option) throws {
        let json = #"{"option":"\#(option.rawValue)","content":{"body":"B","userInfo":{"reply":"Going!"}}}"#
        let answer = try ResponseAnswer(parsing: Array(json.utf8))
        #expect(answer.option == option)
        #expect(String(decoding: answer.json, as: UTF8.self) == json)
    }

    @Test(
        "an invalid answer is refused",
        arguments: [
            "", "{}", #"{"option":"close"}"#, #"{"option":"dismiss","content":7}"#,
            #"{"option":"dismiss","content":{"title":1}}"#, #"{"option":"dismiss","content":{"color":"red"}}"#,
            #"{"option":"dismiss","content":{"userInfo":[]}}"#,
        ]
    )
    func badAnswer(json: String) {
        #expect(throws: ResponseError.self) { try ResponseAnswer(parsing: Array(json.utf8)) }
    }
}
