import Testing
import UserNotificationsUI

@testable import NotificationAttachments

typealias Option = UNNotificationContentExtensionResponseOption

@MainActor
@Suite("A person's responses")
struct ResponsesTests {
    private final class Log {
        var fields: [Bool] = []
        var answered: [String] = []
    }

    private let log = Log()
    private let deliveries = Deliveries<Option>()

    private func responses(_ option: Option = .dismiss) -> Responses {
        Responses(
            asksForText: { $0 == "reply" },
            showField: { [log] in log.fields.append($0) },
            answer: { [log] action, text in
                log.answered.append("\(action) \(text ?? "-")")
                return option
            }
        )
    }

    @Test(
        "end with the option that the app chooses",
        arguments: [Option.doNotDismiss, .dismiss, .dismissAndForwardAction]
    )
    func options(option: Option) async {
        responses(option).receive("like", text: nil, complete: deliveries.add)
        #expect(await deliveries.first() == option)
        #expect(log.answered == ["like -"] && log.fields.isEmpty)
    }

    @Test("wait for a text where one is asked for, and send it once")
    func text() async {
        let responses = responses()
        responses.receive("reply", text: nil, complete: deliveries.add)
        #expect(log.fields == [true] && log.answered.isEmpty && deliveries.all.isEmpty)
        responses.send("On my way!")
        responses.send("On my way!")
        #expect(await deliveries.first() == .dismiss)
        #expect(log.answered == ["reply On my way!"] && log.fields == [true, false])
    }

    @Test("do not send an empty text", arguments: ["", "  ", "\n\t"])
    func empty(text: String) {
        let responses = responses()
        responses.receive("reply", text: nil, complete: deliveries.add)
        responses.send(text)
        #expect(log.fields == [true] && deliveries.all.isEmpty)
    }

    @Test("with a text from the system's own field need no other one")
    func systemField() async {
        responses().receive("reply", text: "Yes", complete: deliveries.add)
        #expect(await deliveries.first() == .dismiss)
        #expect(log.answered == ["reply Yes"] && log.fields.isEmpty)
    }

    @Test("leave the notification open when the text is given up")
    func cancelled() {
        let responses = responses()
        responses.receive("reply", text: nil, complete: deliveries.add)
        responses.cancel()
        responses.cancel()
        #expect(deliveries.all == [.doNotDismiss] && log.answered.isEmpty && log.fields == [true, false])
    }

    @Test("are each completed once if another action comes while a text is waited for")
    func another() async {
        let responses = responses()
        let others = Deliveries<Option>()
        responses.receive("reply", text: nil, complete: deliveries.add)
        responses.receive("like", text: nil, complete: others.add)
        #expect(deliveries.all == [.doNotDismiss])
        #expect(await others.first() == .dismiss)
        responses.send("too late")
        #expect(log.answered == ["like -"])
        #expect(deliveries.all.count == 1 && others.all.count == 1)
    }

    @Test("need no text when nothing waits")
    func nothing() {
        let responses = responses()
        responses.send("Hello")
        responses.cancel()
        #expect(log.answered.isEmpty && log.fields.isEmpty)
    }
}
