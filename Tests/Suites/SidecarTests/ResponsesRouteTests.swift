import Media
import Payloads
import Support
import Testing

@Suite("Responses over HTTP", .timeLimit(.minutes(10)))
struct ResponsesRouteTests {
    private func respond(_ webhook: TestWebhook?, _ action: String, origin: String? = nil) async throws
        -> HTTPClient.Answer
    {
        let body =
            #"{"actionIdentifier":"\#(action)","notification":{"identifier":"n","payload":{"aps":{"category":"invite"},"number":9007199254740993}}}"#
        return try await SidecarFixture.run(preview: PreviewFixture(webhook: webhook)) { sidecar in
            try await sidecar.send("POST", "/v1/responses", body, headers: origin.map { ["Origin": $0] } ?? [:])
        }
    }

    @Test("go to the webhook, and the page gets its answer")
    func webhook() async throws {
        let webhook = TestWebhook(#"{"option":"doNotDismiss","content":{"body":"Going!"}}"#)
        let answer = try await respond(webhook, "accept")
        #expect(answer.status == 200)
        #expect(answer.text == #"{"option":"doNotDismiss","content":{"body":"Going!"}}"#)
        #expect(webhook.posted.count == 1)
        #expect(webhook.posted.first?.contains("9007199254740993") == true)
    }

    @Test("go to the app if there is no webhook")
    func noWebhook() async throws {
        #expect(try await respond(nil, "accept").text == #"{"option":"dismissAndForwardAction"}"#)
    }

    @Test("are refused if they are invalid, and the webhook gets nothing")
    func refused() async throws {
        let webhook = TestWebhook(#"{"option":"dismiss"}"#)
        #expect(try await respond(webhook, "maybe").status == 422)
        #expect(try await respond(webhook, "comment").status == 422)
        #expect(try await respond(webhook, "accept", origin: "http://evil.example").status == 403)
        #expect(webhook.posted.isEmpty)
    }

    @Test("that fail at the webhook, or get an invalid answer, are an error that names it")
    func failing() async throws {
        let late = TestWebhook(AttachmentFailure(.download, .timedOut, "It took too long."))
        let down = TestWebhook(AttachmentFailure(.download, .connectionFailed, "Nobody listens."))
        #expect(try await respond(late, "accept").status == 504)
        let answer = try await respond(down, "accept")
        #expect(answer.status == 502 && answer.text.contains("Nobody listens."))
        #expect(try await respond(TestWebhook("{}"), "accept").status == 502)
    }
}
