import Base
import Foundation
import Payloads
import Support
import Testing

/// Tests that no number from outside ends the process: each is clamped or refused where it enters.
@Suite("Odd numbers", .timeLimit(.minutes(10)))
struct OddNumbersTests {
    private static let numbers = [
        "1e300", "-1e300", "1e19", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e999", "-1",
        "0", "-0.0", "1e-300", "18446744073709551616", "NaN", "Infinity", "0x7fffffffffffffff", "1e9", "4294967296",
    ]

    private let attachd: AttachdProgram
    private let gif: [UInt8]

    init() throws {
        attachd = try AttachdProgram()
        let media = SharedMedia.packageRoot.appending(path: "Samples/media")
        gif = [UInt8](try Data(contentsOf: media.appending(path: "launch.gif")))
    }

    @Test("in payloads, envelopes, header fields and queries every request is answered, and the worker goes on")
    func requests() async throws {
        let origin = try OriginServer { [gif] _ in .body(gif, type: "image/gif") }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            for number in Self.numbers {
                for (method, path, headers, body) in questions(number, origin.url("/a.gif")) {
                    let answer = try await sidecar.send(method, path, body, host: "127.0.0.1", headers: headers)
                    #expect((200..<500).contains(answer.status), "\(method) \(path) \(headers) \(body)")
                }
            }
            #expect(try await sidecar.get("/livez").status == 200)
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains(#"method="other""#) && !metrics.contains("PROPFIND"))
        }
    }

    private func questions(_ number: String, _ url: String) -> [(String, String, [String: String], String)] {
        let json = ["Content-Type": "application/json"]
        let key = "UNNotificationAttachmentOptions"
        let options = """
            {"\(key)ThumbnailTimeKey":\(number),"\(key)ThumbnailHiddenKey":\(number),
            "\(key)ThumbnailClippingRectKey":{"x":\(number),"y":0,"width":\(number),"height":\(number)}}
            """
        let payload = """
            {"aps":{"alert":"Hi","mutable-content":1,"badge":\(number),"relevance-score":\(number),
            "sound":{"name":"a","critical":\(number),"volume":\(number)}},
            "_wp":{"attachments":[{"url":"\(url)","options":\(options)}]}}
            """
        let name = String(repeating: "a", count: 26)
        return [
            ("POST", "/v1/notifications", json, "{\"payload\":\(payload)}"),
            (
                "POST", "/preview/notifications", json.merging(["Origin": "http://127.0.0.1"]) { $1 },
                "{\"payload\":\(payload)}"
            ),
            ("POST", "/v1/notifications", json, #"{"payload":{"aps":{}},"deadline":"\#(number)s"}"#),
            ("POST", "/v1/notifications", json, #"{"payload":{"aps":{}},"deadline":\#(number)}"#),
            (
                "POST", "/v1/notifications", json,
                #"{"payload":\#(payload),"clip":{"start":"\#(number)h","duration":"\#(number)ms"}}"#
            ),
            ("POST", "/v1/notifications", json, #"{"payload":\#(payload),"focus":{"x":\#(number),"y":\#(number)}}"#),
            ("POST", "/v1/jobs", json, #"{"payload":{"aps":{}},"deadline":"\#(number)ms","id":"\#(number)"}"#),
            ("GET", "/v1/jobs/\(number)?wait=\(number)s", [:], ""),
            ("POST", "/v1/rewrite", json.merging(["Attachd-Deadline": "\(number)s"]) { $1 }, payload),
            ("POST", "/v1/rewrite", json.merging(["Attachd-Deadline": "1e9h"]) { $1 }, payload),
            ("GET", "/v1/attachments/\(name).jpg?expires=\(number)&signature=a", ["Range": "bytes=\(number)-"], ""),
            ("GET", "/a/\(name).jpg?\(number)", ["Range": "bytes=0-\(number),-\(number)"], ""),
            ("POST", "/v1/responses", json, #"{"actionIdentifier":\#(number),"notification":\#(payload)}"#),
            ("PROPFIND", "/livez", [:], ""),
        ]
    }

    @Test(
        "on the command line and in variables: a message and a documented status",
        arguments: [
            ["process", "--decoders"], ["process", "--deadline"], ["process", "--quota"], ["process", "--keep"],
            ["process", "--reuse"], ["serve", "--requests"], ["serve", "--listen"], ["jobs", "list", "--limit"],
            ["jobs", "dead", "--limit"], ["jobs", "list", "--backlog"], ["loadtest", "--spawn", "--clients"],
            ["loadtest", "--spawn", "--rate"], ["loadtest", "--spawn", "--budget"], ["loadtest", "--spawn", "--seed"],
            ["process", "--allow-address"],
        ],
    )
    func commands(arguments: [String]) async throws {
        let suffixes = [
            "--deadline": "s", "--keep": "h", "--reuse": "m", "--quota": "TB", "--rate": "x", "--listen": "",
            "--allow-address": "",
        ]
        let option = arguments.last ?? ""
        try await withThrowingTaskGroup { group in
            // Adds numbers that become a duration or a size.
            for number in [
                "1e300", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-1", "1e9999",
            ] {
                group.addTask {
                    var value = number + (suffixes[option] ?? "")
                    if option == "--listen" { value = "127.0.0.1:\(number)" }
                    if option == "--allow-address" { value = "10.0.0.0/\(number)" }
                    if option == "--budget" { value = "p99<\(number)s" }
                    // Starts nothing, whatever the option is.
                    let outcome = try await attachd.run(
                        arguments.dropLast() + ["\(option)=\(value)", "--config", "/nowhere.yaml"]
                    )
                    #expect(outcome.status > 0 && outcome.status < 128, "\(option)=\(value): \(outcome.errors)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "in a configuration file: a message and status 78",
        arguments: [
            "decoders: NUMBER", "requests: NUMBER", "backlog: NUMBER", "backlog: 9223372036854775807:59:59",
            "decoders: 99999999999999999999:59", "profiles: {a: {image: {longEdge: NUMBER}}}",
            "profiles: {a: {image: {longEdge: 9223372036854775807:59}}}", "profiles: {a: {image: {byteLimit: NUMBER}}}",
            "profiles: {a: {video: {duration: NUMBERs}}}", "profiles: {a: {image: {aspectRatio: \"NUMBER:1\"}}}",
            "deadline: NUMBERs", "quota: NUMBERTB", "keep: NUMBERh", "listen: 127.0.0.1:NUMBER",
            "categories: {a: {contentExtension: {initialContentSizeRatio: NUMBER}}}",
        ],
    )
    func configuration(content: String) async throws {
        try await withThrowingTaskGroup { group in
            for (index, number) in ["1e300", "9223372036854775807", "-9223372036854775808", "1e9999"].enumerated() {
                for suffix in ["yaml", "json"] where suffix == "yaml" || !content.contains("profiles") {
                    let text = content.replacing("NUMBER", with: number)
                    let file = attachd.folder.url.appending(path: "\(index).\(suffix)")
                    let members = text.split(separator: ": ", maxSplits: 1)
                    let json = "{\"\(members[0])\": \(Double(members[1]) == nil ? "\"\(members[1])\"" : members[1])}"
                    try Data((suffix == "json" ? json : text + "\n").utf8).write(to: file)
                    group.addTask {
                        let outcome = try await attachd.run(["dialects", "--config", file.path])
                        #expect(outcome.status == 78, "\(text): \(outcome.errors)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
