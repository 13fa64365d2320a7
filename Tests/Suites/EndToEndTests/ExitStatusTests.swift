import Base
import Foundation
import Support
import Testing

@Suite("Exit status and messages", .timeLimit(.minutes(10)))
struct ExitStatusTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test(
        "invalid input has the documented status, and a message that says what to do",
        arguments: [
            (["process", "--deadlin", "5s"], "", Int32(64), "--deadline"),
            (["proces"], "", 64, "'process'"), (["unlike-any"], "", 64, "'unlike-any'"),
            (["process", "-"], "no json", 65, "JSON"),
            (["process", "-"], "[]", 65, "object"),
            (["process", "-"], "{\"a\":1}", 65, "aps"),
            (["process", "/nowhere.json"], "", 66, "/nowhere.json"),
            (["process", "-", "--deadline", "soon"], "{\"aps\":{}}", 78, "800ms"),
            (["process", "-", "--deadline", "0s"], "{\"aps\":{}}", 78, "0s"),
            (["process", "-", "--profile", "nokia"], "{\"aps\":{}}", 78, "apns"),
            (["process", "-", "--dialect", "nokia"], "{\"aps\":{}}", 78, "onesignal"),
            (["process", "-", "--push-type", "sms"], "", 64, "voip"),
            (["process", "-", "--decoders", "0"], "{\"aps\":{}}", 78, "decoders"),
            (["process", "-", "--decoders", "many"], "{\"aps\":{}}", 64, "decoders"),
            (["process", "-", "--allow-address", "10.0.0.300"], "{\"aps\":{}}", 78, "10.0.0.300"),
            (["process", "-", "--ca-file", "/nowhere.pem"], "{\"aps\":{}}", 78, "/nowhere.pem"),
            (["process", "-", "--config", "/nowhere.yaml"], "{\"aps\":{}}", 78, "/nowhere.yaml"),
            (["process", "-", "--store", "/proc/nowhere"], "{\"aps\":{}}", 73, "--store"),
            (["process", "-", "--quota", "lots"], "{\"aps\":{}}", 78, "10GB"),
            (["process", "-", "--quota", "10"], "{\"aps\":{}}", 78, "10GB"),
            (["process", "-", "--keep", "long"], "{\"aps\":{}}", 78, "long"),
            (["process", "-", "--public-url", "push.example.com"], "{\"aps\":{}}", 78, "https://"),
            (["process", "-", "--public-url", "ftp://push.example.com"], "{\"aps\":{}}", 78, "https://"),
            (["process", "-", "--public-url", "https://push.example.com/?a=b"], "{\"aps\":{}}", 78, "https://"),
            (["process", "-", "--signing-key-file", "/nowhere.key"], "{\"aps\":{}}", 78, "signingKeyFile"),
            (["process", "-", "--signing-key-file", "/dev/null"], "{\"aps\":{}}", 78, "not a regular file"),
            (["serve", "--listen", "0.0.0.0:0"], "", 78, "--api-token-file"),
            (["serve", "--listen", "here"], "", 78, "HOST:PORT"),
            (["process", "/"], "", 66, "folder"),
            (["process", "-", "--report", "/nowhere/a"], "{\"aps\":{}}", 73, "/nowhere"),
            (["process", "-", "--report", "/tmp"], "{\"aps\":{}}", 73, "folder"),
            (["loadtest", "http://127.0.0.1:1", "--source", "a", "--budget", "p99>1s"], "", 64, "p99"),
        ],
    )
    func badInput(arguments: [String], input: String, status: Int32, word: String) async throws {
        let store = arguments.contains("--store") ? [] : ["--store", attachd.store]
        let outcome = try await attachd.run(arguments + (status == 64 ? [] : store), input: Array(input.utf8))
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(word) && outcome.output.isEmpty, "\(outcome.errors)")
    }

    @Test(
        "a report that cannot be written, or a run that cannot be read, ends a load test before it begins",
        arguments: [("--report", "/nowhere/a", Int32(73)), ("--json", "/tmp", 73), ("--compare", "/nowhere", 66)]
    )
    func reports(option: String, path: String, status: Int32) async throws {
        let outcome = try await attachd.run([
            "loadtest", "http://127.0.0.1:1", "--source", "http://a.example/", option, path,
        ])
        #expect(outcome.status == status && outcome.errors.contains(path), "\(outcome.errors)")
    }

    @Test("a port that another program uses is named, with what to do")
    func portInUse() async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            let other = try AttachdProgram()
            let listen = ["--listen", "127.0.0.1:\(sidecar.port)"]
            let outcome = try await other.run(["serve", "--store", other.store] + listen)
            #expect(outcome.status == 1 && outcome.errors.contains("127.0.0.1:\(sidecar.port)"))
            #expect(outcome.errors.contains("choose another port"), "\(outcome.errors)")
        }
    }

    @Test("a malformed variable or configuration value is refused, not replaced by its default")
    func malformedConfiguration() async throws {
        var attachd = attachd
        attachd.environment = ["ATTACHD_DECODERS": "many"]
        let fromVariable = try await attachd.run(["process", "-"], input: Array("{\"aps\":{}}".utf8))
        #expect(fromVariable.status == 78 && fromVariable.errors.contains("decoders"))

        attachd.environment = [:]
        for (name, content) in [
            ("a.yaml", "deadline: tomorrow\n"), ("a.json", "{\"decoders\": \"many\"}"), ("b.json", "{"),
        ] {
            let file = attachd.folder.url.appending(path: name)
            try Data(content.utf8).write(to: file)
            let outcome = try await attachd.run(
                ["process", "-", "--config", file.path],
                input: Array("{\"aps\":{}}".utf8)
            )
            #expect(outcome.status == 78, "\(name): \(outcome.errors)")
        }
    }

    @Test("an option wins over a variable, and a variable over the configuration file")
    func precedence() async throws {
        var attachd = attachd
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try Data("profile: nokia\nstore: \(attachd.store)\n".utf8).write(to: file)
        let input = Array("{\"aps\":{}}".utf8)
        let fromFile = try await attachd.run(["process", "-", "--config", file.path], input: input)
        #expect(fromFile.status == 78)
        attachd.environment = ["ATTACHD_PROFILE": "fcm", "ATTACHD_CONFIG": file.path]
        #expect(try await attachd.run(["process", "-"], input: input).status == 0)
        let fromOption = try await attachd.run(["process", "-", "--profile", "siemens"], input: input)
        #expect(fromOption.status == 78 && fromOption.errors.contains("siemens"))
    }

    @Test("with --strict an incomplete outcome is status 3, and the payload is written all the same")
    func strict() async throws {
        let outcome = try await attachd.process("http://127.0.0.1:1/x.jpg", ["--strict"])
        #expect(outcome.status == 3 && outcome.outcome == "original" && outcome.output.contains("my-attachment"))
    }

    @Test("doctor tries every format, and names every layer of the sandbox")
    func doctor() async throws {
        let outcome = try await attachd.run(["doctor", "--store", attachd.store])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        for format in ["jpeg", "png", "gif", "webp", "heic", "avif", "tiff"] {
            #expect(outcome.output.contains("image/\(format)"))
        }
        #expect(outcome.output.contains("system-call-filter"))
        #expect(outcome.output.contains("0 files, 0 of 10000 MB"))
    }
}
