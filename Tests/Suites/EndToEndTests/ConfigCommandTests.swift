import Foundation
import Payloads
import Support
import Testing

@Suite("attachd config", .timeLimit(.minutes(10)))
struct ConfigCommandTests {
    private func file(_ content: String, in attachd: AttachdProgram) throws -> String {
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try Data(content.utf8).write(to: file)
        return file.path
    }

    @Test("a valid file is valid whatever the environment says")
    func valid() async throws {
        var attachd = try AttachdProgram()
        attachd.environment = ["ATTACHD_DEADLINE": "soon"]
        let outcome = try await attachd.run(["config", "check", try file("deadline: 5s\n", in: attachd)])
        #expect(outcome.status == 0 && outcome.output.hasSuffix("attachd.yaml is valid.\n") && outcome.errors == "")
    }

    @Test("a misspelled variable gets a warning, once, from every command and from the log of a service")
    func misspelledVariable() async throws {
        var attachd = try AttachdProgram()
        attachd.environment = ["ATTACHD_DEADLIN": "hunter2", "ATTACHD_SERVICE_HOST": "10.0.0.1"]
        let file = try file("keep: 2h\n", in: attachd)
        let warning = "ATTACHD_DEADLIN is ignored. It is not the variable of a setting, and has no effect. "
        for arguments in [["config", "check", file], ["config", "show"], ["dialects"], ["jobs", "list"]] {
            let outcome = try await attachd.run(arguments)
            #expect(outcome.errors.contains("\(warning)Did you mean ATTACHD_DEADLINE?\n"), "\(outcome.errors)")
            #expect(outcome.errors.components(separatedBy: "ATTACHD_DEADLIN ").count == 2, "\(arguments)")
            #expect(!outcome.errors.contains("hunter2") && !outcome.errors.contains("SERVICE_HOST"))
        }
        for command in ["serve", "work"] {
            try await RunningSidecar.run(attachd, command: command) { sidecar in
                try await sidecar.waitForLog(warning)
                #expect(sidecar.logged.components(separatedBy: "ATTACHD_DEADLIN ").count == 2)
                #expect(sidecar.logged.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
            }
        }
    }

    @Test("a variable that the file names counts, whatever it begins with")
    func namedVariable() async throws {
        var attachd = try AttachdProgram()
        attachd.environment = ["ATTACHD_CDN_KEY": "hunter2"]
        let rule = "sources: {a: {match: 'https://a.example/', headers: {A: {env: ATTACHD_CDN_KEY}}}}"
        let outcome = try await attachd.run(["config", "check", try file(rule, in: attachd)])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    }

    @Test("a file that publishes needs the credentials of AWS, which no file has")
    func publishing() async throws {
        var attachd = try AttachdProgram()
        let file = try file("publish: s3://media/pushes\npublicUrl: https://push.example\n", in: attachd)
        #expect(try await attachd.run(["config", "check", file]).status == 78)
        attachd.environment = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]
        #expect(try await attachd.run(["config", "check", file]).status == 0)
    }

    @Test(
        "an invalid file is refused with what to write",
        arguments: [
            ("deadlin: 5s\n", "did you mean \"deadline\"?"), ("deadline: soon\n", "20s"),
            ("metricsListen: 127.0.0.1:80\nlisten: 127.0.0.1:80\n", "another port"), ("- 1\n", "table"),
        ]
    )
    func invalid(content: String, advice: String) async throws {
        let attachd = try AttachdProgram()
        let outcome = try await attachd.run(["config", "check", try file(content, in: attachd)])
        #expect(outcome.status == 78 && outcome.errors.contains(advice) && outcome.output == "", "\(outcome.errors)")
    }

    @Test("a command line is shown with where each value comes from, as columns and as JSON")
    func show() async throws {
        var attachd = try AttachdProgram()
        attachd.environment = ["ATTACHD_QUEUE": "redis://:secret-1@127.0.0.1:6379"]
        let arguments = ["--deadline", "3s", "--config", try file("keep: 2h\n", in: attachd)]
        let columns = try await attachd.run(["config", "show"] + arguments)
        #expect(columns.status == 0 && columns.output.hasPrefix("KEY") && columns.output.contains("--deadline"))
        let outcome = try await attachd.run(["config", "show", "--json"] + arguments)
        let settings = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(settings["deadline"]?["value"]?.text == "3s" && settings["deadline"]?["from"]?.text == "--deadline")
        #expect(settings["keep"]?["from"]?.text?.hasSuffix("attachd.yaml") == true)
        #expect(settings["queue"]?["value"]?.text == "redis://(secret)@127.0.0.1:6379")
        #expect(!(columns.output + outcome.output).contains("secret-1"))
    }

    @Test("metrics at an address of their own need no token, and are nowhere else")
    func metricsListen() async throws {
        let attachd = try AttachdProgram()
        let token = attachd.folder.url.appending(path: "token")
        try Data("0123456789abcdef".utf8).write(to: token)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token.path)
        let options = ["--metrics-listen", "127.0.0.1:0", "--api-token-file", token.path]
        try await RunningSidecar.run(attachd, options) { sidecar in
            try await sidecar.waitForLog("attachd serves metrics.")
            let match = try #require(try /"metrics_port":"([0-9]+)"/.firstMatch(in: sidecar.logged))
            let port = try #require(Int(match.1))
            for (path, here, there) in [
                ("/metrics", 200, 404), ("/livez", 200, 200), ("/readyz", 200, 200), ("/v1/rewrite", 404, 401),
            ] {
                #expect(try await HTTPClient.send(path: path, port: port).status == here, "\(path)")
                #expect(try await sidecar.get(path).status == there, "\(path)")
            }
            #expect(
                try await HTTPClient.send(path: "/metrics", port: port).text.contains("attachd_notifications_total")
            )
        }
    }

    @Test("an address of metrics that is taken ends attachd with the address")
    func taken() async throws {
        let other = try OriginServer { _ in .status(204) }
        defer { other.stop() }
        let attachd = try AttachdProgram()
        let options = [
            "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:\(other.port)", "--store", attachd.store,
        ]
        let outcome = try await attachd.run(options)
        #expect(
            outcome.status == 1 && outcome.errors.contains("127.0.0.1:\(other.port). Another program uses this port.")
        )
    }
}
