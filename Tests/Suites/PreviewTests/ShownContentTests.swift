import Payloads
import Testing

@testable import Preview

@Suite("The parts of a payload that a phone shows")
struct ShownContentTests {
    private func content(_ json: String) throws -> ShownContent {
        ShownContent(try JSONValue(parsing: Array(json.utf8)))
    }

    @Test("all fields of aps")
    func fields() throws {
        let content = try content(
            """
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":"default","thread-id":"t",
            "category":"c","interruption-level":"time-sensitive","relevance-score":0.5,"target-content-id":"w"},"x":1}
            """
        )
        #expect(content.title == ShownText("T"))
        #expect(content.subtitle == ShownText("S"))
        #expect(content.body == ShownText("B"))
        #expect(content.badge == 3)
        #expect(content.sound == ShownContent.Sound(name: "default"))
        #expect(content.threadIdentifier == "t")
        #expect(content.categoryIdentifier == "c")
        #expect(content.interruptionLevel == .timeSensitive)
        #expect(content.relevanceScore == 0.5)
        #expect(content.targetContentIdentifier == "w")
        #expect(content.userInfo["x"] == 1)
    }

    @Test("an alert that is a string is the body")
    func text() throws {
        let content = try content(#"{"aps":{"alert":"Hi"}}"#)
        #expect(content.body == ShownText("Hi"))
        #expect(content.title == nil)
        #expect(content.interruptionLevel == .active)
    }

    @Test("localised keys are shown as keys, with their arguments")
    func keys() throws {
        let content = try content(
            #"{"aps":{"alert":{"title-loc-key":"TITLE","title-loc-args":["Anna",2],"loc-key":"BODY","body":"plain"}}}"#
        )
        #expect(content.title == ShownText("TITLE (Anna, 2)", isKey: true))
        #expect(content.body == ShownText("BODY", isKey: true))
    }

    @Test("a critical sound has its volume")
    func sound() throws {
        let content = try content(#"{"aps":{"sound":{"critical":1,"name":"alarm","volume":0.8}}}"#)
        #expect(content.sound == ShownContent.Sound(name: "alarm", isCritical: true, volume: 0.8))
    }

    @Test(
        "a request to a push service shows the notification in it",
        arguments: [
            (#"{"message":{"notification":{"title":"T","body":"B"},"apns":{"payload":{"aps":{"badge":1}}}}}"#, 1),
            (#"{"notifications":[{"platform":1,"title":"T","message":"B","badge":2}]}"#, 2),
            (#"{"to":"ExponentPushToken[x]","title":"T","body":"B","badge":3}"#, 3),
        ]
    )
    func requests(json: String, badge: Int) throws {
        let content = try content(json)
        #expect(content.title == ShownText("T"))
        #expect(content.body == ShownText("B"))
        #expect(content.badge == badge)
    }

    @Test(
        "a value of the wrong type is ignored",
        arguments: ["[]", "7", #"{"aps":7}"#, #"{"aps":{"alert":[1],"badge":1.5,"sound":3,"category":{}}}"#]
    )
    func wrongTypes(json: String) throws {
        let content = try content(json)
        #expect(content.title == nil && content.body == nil && content.badge == nil && content.sound == nil)
        #expect(content.categoryIdentifier == nil)
    }
}
