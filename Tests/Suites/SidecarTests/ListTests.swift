import Base
import Media
import Payloads
import Processing
import Support
import Testing

@testable import Sidecar

@Suite("Lists of notifications", .timeLimit(.minutes(10)))
struct ListTests {
    private static let client = ClientAddress("192.0.2.1")

    /// Returns a payload with a source of its own, so that no work is shared.
    private static func payload(_ number: Int, text: String = "Hi") -> JSONValue {
        [
            "aps": ["mutable-content": 1, "alert": .string(text)],
            "my-attachment": .string("https://example.com/\(number).jpg"), "number": .integer(number),
        ]
    }

    private static func items(_ count: Int) -> [Result<ProcessingRequest, Problem>] {
        (0..<count).compactMap { try? PayloadReader().read(payload($0), identifier: "n\($0)") }
            .map { .success(ProcessingRequest(notification: $0)) }
    }

    private static func post(
        _ list: JSONValue,
        to path: String = "/v1/rewrite",
        _ sidecar: SidecarFixture,
        headers: [String: String] = [:],
    ) async throws -> HTTPClient.Answer {
        try await sidecar.send("POST", path, headers: headers, body: list.compactBytes)
    }

    private static func elements(_ answer: HTTPClient.Answer) throws -> [JSONValue] {
        guard case .array(let elements) = try JSONValue(parsing: answer.body) else { return [] }
        return elements
    }

    private static func expectRefusal(
        _ words: String,
        _ process: () async throws -> [ListProcessing.Answer],
    ) async {
        do {
            _ = try await process()
            Issue.record("The list was not refused.")
        } catch {
            #expect((error as? Problem)?.detail.contains(words) == true, "\(error)")
        }
    }

    @Test("payloads come back rewritten in order, with a problem in the place of one that can't be read")
    func rewrite() async throws {
        try await SidecarFixture.run { sidecar in
            let list: JSONValue = [
                Self.payload(0), 1, ["payload": ["aps": [:]]], Self.payload(3), ["a": 1], Self.payload(5),
            ]
            let answer = try await Self.post(list, sidecar)
            let elements = try Self.elements(answer)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            try #require(elements.count == 6)
            for index in [0, 3, 5] {
                #expect(elements[index]["number"] == .integer(index))
                #expect(elements[index]["my-attachment"] == "file:///store/a.jpg")
            }
            #expect(
                [1, 2, 4].allSatisfy { elements[$0]["status"] == 422 && elements[$0]["code"] == "unprocessableContent" }
            )
            #expect(elements[2]["detail"]?.text?.contains("Send it to /v1/notifications") == true)
            #expect(answer.headers["attachd-outcome"] == "original")
            #expect(answer.headers["attachd-margin"].flatMap { Int($0) }.map { $0 > 0 } == true)
            #expect(answer.headers["server-timing"]?.hasPrefix("total;dur=") == true)
        }
    }

    @Test("the outcome is the worst one")
    func outcome() async throws {
        try await SidecarFixture.run { sidecar in
            let complete = try await Self.post([Self.payload(0), Self.payload(1)], sidecar)
            #expect(complete.headers["attachd-outcome"] == "complete")
            let plain = try await Self.post([Self.payload(0), ["aps": ["alert": "Hi"]]], sidecar)
            #expect(plain.headers["attachd-outcome"] == "original")
            #expect(try Self.elements(plain)[1] == ["aps": ["alert": "Hi"]])
        }
    }

    @Test("the remarks on all payloads are counted")
    func remarks() async throws {
        try await SidecarFixture.run { sidecar in
            let unmarked: JSONValue = ["aps": ["alert": "Hi"], "my-attachment": "https://example.com/9.jpg"]
            let answer = try await Self.post([Self.payload(0), unmarked, ["a": 1], unmarked], sidecar)
            #expect(answer.headers["attachd-remarks"] == "2")
        }
    }

    @Test("envelopes get whole results in order, each with its own options")
    func envelopes() async throws {
        try await SidecarFixture.run { sidecar in
            let list: JSONValue = [
                ["id": "one", "payload": Self.payload(1), "deadline": "60s"],
                ["payload": Self.payload(2), "profil": "x"],
                ["id": "three", "payload": Self.payload(3), "profile": "fcm"],
                ["payload": Self.payload(4), "profile": "nokia"],
            ]
            let answer = try await Self.post(list, to: "/v1/notifications", sidecar)
            let elements = try Self.elements(answer)
            #expect(answer.status == 200 && answer.headers["attachd-outcome"] == "original")
            #expect(elements.map { $0["id"]?.text } == ["one", nil, "three", nil])
            #expect(elements.map { $0["outcome"]?.text } == ["complete", nil, "complete", nil])
            #expect(elements[1]["status"] == 422 && elements[3]["status"] == 400)
        }
    }

    @Test("a list of Expo's messages comes back whole, those without a picture too")
    func expo() async throws {
        try await SidecarFixture.run { sidecar in
            let list: JSONValue = [
                ["to": "x", "title": "T", "richContent": ["image": "https://example.com/e.jpg"]],
                ["to": "y", "body": "B"],
                ["to": "z", "data": ["k": 1]],
            ]
            let elements = try Self.elements(try await Self.post(list, sidecar))
            #expect(elements.first?["richContent"]?["image"] == "file:///store/a.jpg")
            #expect(elements[1] == ["to": "y", "body": "B"])
            #expect(elements[2] == ["to": "z", "data": ["k": 1]])
        }
    }

    @Test("an option in the header is that of all payloads, and is refused for all")
    func options() async throws {
        try await SidecarFixture.run { sidecar in
            for header in ["Attachd-Profile", "Attachd-Dialect"] {
                let answer = try await Self.post([Self.payload(0)], sidecar, headers: [header: "nokia"])
                #expect(answer.status == 400)
            }
        }
    }

    @Test(
        "a list has 1 to 100 items and 512 KiB at most, each item 64 KiB",
        arguments: [(100, 3000, 200), (101, 0, 422), (0, 0, 422), (100, 5400, 413), (1, 70_000, 200)]
    )
    func sizes(count: Int, padding: Int, status: Int) async throws {
        try await SidecarFixture.run { sidecar in
            let text = String(repeating: "x", count: padding)
            let list = JSONValue.array((0..<count).map { ["aps": ["alert": .string(text)], "n": .integer($0)] })
            let answer = try await Self.post(list, sidecar)
            #expect(answer.status == status)
            guard status == 200 else { return #expect(answer.headers["content-type"] == "application/problem+json") }
            let elements = try Self.elements(answer)
            #expect(elements.count == count)
            #expect(elements.first?["status"] == (padding > 65_536 ? 413 : nil))
        }
    }

    @Test("only a few lists are larger than a single body at the same time")
    func largeBodies() async throws {
        let limits = ListLimits(requestLimit: 256)
        #expect(limits.share == 32)
        let single = ListLimits(requestLimit: 1)
        #expect(single.share == 1)
        #expect(single.permits.enter(Self.client) && !single.permits.enter(Self.client))
        for _ in 0..<12 { #expect(limits.bodies.enter(Self.client)) }
        #expect(!limits.bodies.enter(Self.client))
    }

    @Test("one client never has the last quarter of the lists' permits and long bodies")
    func othersShare() async throws {
        let other = ClientAddress("192.0.2.2")
        for admission in [ListLimits(requestLimit: 256).bodies, ListLimits(requestLimit: 256).permits] {
            while admission.enter(Self.client) {}
            #expect(admission.taken == admission.share)
            var places = 0
            while admission.enter(other) { places += 1 }
            #expect(places == admission.share / 3)
            for _ in 0..<places { admission.leave(other) }
            #expect(admission.taken == admission.share && !admission.enter(Self.client))
            admission.leave(Self.client)
            #expect(admission.enter(Self.client))
        }
    }

    @Test("a list takes permits that become free while it runs, up to its share")
    func grows() async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(started: started, hold: hold) { sidecar in
            let admission = Admission(limit: 32)
            let lanes = ListLanes(admission: admission, limits: ListLimits(requestLimit: 32), client: Self.client)
            let list = ListProcessing(service: sidecar.service, lanes: lanes)
            for _ in 0..<31 { #expect(admission.enter()) }
            // The first item is given up when its share of the time has passed, because all downloads are held.
            async let answers = list.admitted(Self.items(9), accepted: sidecar.service.now, timeLimit: .seconds(9))
            await started.wait()
            #expect(lanes.limits.permits.taken == 1)
            for _ in 0..<31 { admission.leave() }
            try await eventually { lanes.limits.permits.taken == lanes.limits.share }
            hold.send()
            let finished = try await answers.map { try $0.get().outcome }
            #expect(finished.first == .original && finished.count == 9)
            #expect(admission.running == 0 && lanes.limits.permits.taken == 0)
        }
    }

    @Test("a list has no more permits than its share, and gives them all back")
    func share() async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(started: started, hold: hold) { sidecar in
            let admission = Admission(limit: 32)
            let lanes = ListLanes(admission: admission, limits: ListLimits(requestLimit: 32), client: Self.client)
            let list = ListProcessing(service: sidecar.service, lanes: lanes)
            async let answers = list.admitted(Self.items(9), accepted: sidecar.service.now, timeLimit: .seconds(60))
            await started.wait()
            #expect(admission.running == 4 && lanes.limits.permits.taken == 4)
            hold.send()
            let finished = try await answers
            #expect(finished.allSatisfy { (try? $0.get())?.outcome == .complete })
            #expect(admission.running == 0 && lanes.limits.permits.taken == 0)
        }
    }

    @Test("a list takes the permits that are free, and is refused where none is")
    func crowded() async throws {
        try await SidecarFixture.run { sidecar in
            let admission = Admission(limit: 32)
            let lanes = ListLanes(admission: admission, limits: ListLimits(requestLimit: 32), client: Self.client)
            let list = ListProcessing(service: sidecar.service, lanes: lanes)
            for _ in 0..<31 { #expect(admission.enter()) }
            let answers = try await list.admitted(Self.items(5), accepted: sidecar.service.now, timeLimit: .seconds(60))
            #expect(answers.allSatisfy { (try? $0.get())?.outcome == .complete })
            #expect(admission.running == 31 && admission.enter())
            await Self.expectRefusal("raise --requests") {
                try await list.admitted(Self.items(1), accepted: sidecar.service.now, timeLimit: .seconds(5))
            }
            #expect(lanes.limits.permits.taken == 0)
            admission.leave()
            let now = sidecar.service.now
            let unread = try await list.admitted([.failure(.unreadable)], accepted: now, timeLimit: .seconds(5))
            #expect(unread.count == 1 && admission.running == 31)
        }
    }

    @Test("every item answers by the deadline, also those whose turn does not come")
    func deadline() async throws {
        let hold = Signal()
        try await SidecarFixture.run(hold: hold) { sidecar in
            let lanes = ListLanes(
                admission: Admission(limit: 8),
                limits: ListLimits(requestLimit: 8),
                client: Self.client
            )
            let list = ListProcessing(service: sidecar.service, lanes: lanes)
            let now = sidecar.service.now
            let stuck = try await list.admitted(Self.items(5), accepted: now, timeLimit: .milliseconds(400))
            #expect(stuck.compactMap { try? $0.get() }.map(\.outcome) == Array(repeating: .original, count: 5))
            let passed = sidecar.service.now.advanced(by: .seconds(-10))
            let late = try await list.admitted(Self.items(3), accepted: passed, timeLimit: .seconds(5))
            #expect(late.compactMap { try? $0.get() }.map(\.outcome) == Array(repeating: .original, count: 3))
            #expect(late.compactMap { try? $0.get() }.allSatisfy { $0.margin == .zero })
            hold.send()
        }
    }

    @Test("a worker that drains takes no list")
    func draining() async throws {
        try await SidecarFixture.run { sidecar in
            let admission = Admission(limit: 8)
            admission.close()
            let limits = ListLimits(requestLimit: 8)
            let lanes = ListLanes(admission: admission, limits: limits, client: Self.client)
            let list = ListProcessing(service: sidecar.service, lanes: lanes)
            await Self.expectRefusal("shutting down") {
                try await list.admitted(Self.items(1), accepted: sidecar.service.now, timeLimit: .seconds(5))
            }
        }
    }

    @Test(
        "without a permit a list is refused before it is parsed",
        arguments: ["/v1/rewrite", "/v1/notifications", "/v1/prepare"]
    )
    func permitFirst(path: String) async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(requestLimit: 1, started: started, hold: hold) { sidecar in
            async let first = Self.post(Self.payload(0), sidecar)
            await started.wait()
            // With a permit, each of these is 400 or 422.
            for body in ["[", "[1,", "[]", " \n[{]" + String(repeating: "x", count: 9000)] {
                let answer = try await sidecar.send("POST", path, body)
                #expect(
                    answer.status == 429 && answer.headers["retry-after"] == "1",
                    "\(body.prefix(9)): \(answer.text)"
                )
            }
            hold.send()
            #expect(try await first.status == 200)
            let answer = try await sidecar.send("POST", path, "[")
            #expect(answer.status == 400)
        }
    }

    @Test("a list is read and answered on the thread of long work, of which few wait, and returns its permit")
    func reading() async throws {
        let (admission, limits) = (Admission(limit: 32), ListLimits(requestLimit: 32))
        let lanes = ListLanes(admission: admission, limits: limits, client: Self.client)
        let places = try await lanes.admit {
            #expect(LongWork.isCurrent && admission.running == 1)
            return limits.longWork.places.taken
        } answer: { taken in
            #expect(LongWork.isCurrent && limits.longWork.places.taken == 0)
            _ = await lanes.answers(to: [.success(1), .success(2)]) { _, _ in
                #expect(LongWork.isCurrent)
                return Result<Int, Problem>.success(0)
            }
            return taken
        }
        #expect(places == 1 && admission.running == 0 && !LongWork.isCurrent)

        while limits.longWork.places.enter(Self.client) {}
        await #expect(throws: Problem.self) {
            try await lanes.admit {
            } answer: { _ in
            }
        }
        #expect(admission.running == 0 && limits.permits.taken == 0)
    }

    @Test("a body of more than 16 kB is read on the thread of long work", arguments: [(16_384, false), (16_385, true)])
    func longBodies(byteCount: Int, isLong: Bool) async throws {
        let work = LongWork(places: 1)
        #expect(try await work.read(byteCount, from: Self.client) { LongWork.isCurrent } == isLong)
        #expect(try await work.perform(byteCount) { LongWork.isCurrent } == isLong)
        #expect(work.places.taken == 0 && work.places.enter(Self.client))
        let isRefused = await (try? work.read(byteCount, from: Self.client) {}) == nil
        #expect(isRefused == isLong)
    }
}

extension ListProcessing {
    /// Processes items as a list that was admitted.
    fileprivate func admitted(
        _ items: [Result<ProcessingRequest, Problem>],
        accepted: Instant,
        timeLimit: Duration,
    ) async throws -> [Answer] {
        try await lanes.admit {
            items
        } answer: {
            await process($0, accepted: accepted, timeLimit: timeLimit)
        }
    }
}
