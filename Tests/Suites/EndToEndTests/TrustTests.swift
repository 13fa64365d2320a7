import Foundation
import Glibc
import Support
import Testing

/// Tests of SECURITY.md, T2, on the command line: exit statuses, and messages that say what to do.
@Suite("Files that another user prepared (T2)", .timeLimit(.minutes(10)))
struct TrustTests {
    let attachd: AttachdProgram
    static let token = "0123456789abcdef\n"
    private static let input = Array("{\"aps\":{}}".utf8)

    init() throws { attachd = try AttachdProgram() }

    private func chown(_ path: String) throws {
        guard geteuid() == 0 else { try Test.cancel("only root can give a file to another user") }
        try #require(unsafe Glibc.lchown(path, 12_345, 12_345) == 0)
    }

    private func makeStore() throws {
        try FileManager.default.createDirectory(atPath: attachd.store, withIntermediateDirectories: true)
        unsafe chmod(attachd.store, 0o700)
    }

    @Test("another user's store ends each command with status 73", arguments: ["process", "serve", "jobs"])
    func foreignStore(command: String) async throws {
        try makeStore()
        try attachd.folder.write(String(repeating: "k", count: 40), to: "store/signing.key")
        try attachd.folder.write("", to: "store/queue.sqlite")
        unsafe chmod(attachd.store, 0o777)
        try chown(attachd.store)
        let options = ["--store", attachd.store] + (command == "serve" ? ["--listen", "127.0.0.1:0"] : [])
        let outcome = try await attachd.run(
            [command] + options + (command == "process" ? ["-"] : []),
            input: Self.input
        )
        #expect(outcome.status == 73 && outcome.errors.contains("chown"), "\(outcome.errors)")
    }

    @Test(
        "a queue's file, or one beside it, that is a link, another user's or open to all is refused with status 73",
        arguments: ["queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm", "queue.sqlite.lock"],
        ["link", "foreign", "open"],
    )
    func queueFile(name: String, what: String) async throws {
        try makeStore()
        let path = "\(attachd.store)/\(name)"
        let elsewhere = try attachd.folder.write("precious", to: "elsewhere")
        switch what {
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        case "foreign": try chown(attachd.folder.write("", to: "store/\(name)"))
        default: try attachd.folder.write("", to: "store/\(name)", mode: 0o666)
        }
        let outcome = try await attachd.run(["serve", "--store", attachd.store, "--listen", "127.0.0.1:0"])
        #expect(outcome.status == 73 && outcome.errors.contains(name), "\(outcome.errors)")
        #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "precious")
    }

    @Test(
        "a token or a key that others can read is refused with status 78, also by the former names of the options",
        arguments: ["--api-token-file", "--signing-key-file", "--api-token", "--signing-key"]
    )
    func readableByAll(option: String) async throws {
        let file = try attachd.folder.write(String(repeating: "k", count: 40), to: "secret", mode: 0o644)
        let arguments = ["serve", "--store", attachd.store, "--listen", "127.0.0.1:0", option, file]
        let outcome = try await attachd.run(arguments + ["--group-readable-keys"])
        #expect(outcome.status == 78 && outcome.errors.contains("chmod 600"), "\(outcome.errors)")
        unsafe chmod(file, 0o640)
        let byGroup = try await attachd.run(arguments)
        #expect(byGroup.status == 78 && byGroup.errors.contains("--group-readable-keys"), "\(byGroup.errors)")
    }

    @Test("the same rules hold for the credentials of a bucket")
    func credentials() async throws {
        let text = "[default]\naws_access_key_id = a\naws_secret_access_key = b\n"
        let file = try attachd.folder.write(text, to: "credentials", mode: 0o644)
        let outcome = try await attachd.run(
            [
                "process", "-", "--store", attachd.store, "--publish", "s3://bucket", "--public-url",
                "https://cdn.example", "--publish-credentials=\(file)",
            ],
            input: Self.input
        )
        #expect(outcome.status == 78 && outcome.errors.contains("chmod 600"), "\(outcome.errors)")
    }

    @Test(
        "a token that its group can read is accepted if the option or its variable says so",
        arguments: [true, false]
    )
    func groupReadable(byVariable: Bool) async throws {
        var attachd = attachd
        let file = try attachd.folder.write(Self.token, to: "token", mode: 0o440)
        if byVariable { attachd.environment = ["ATTACHD_GROUP_READABLE_KEYS": "true"] }
        let options = ["--api-token", file] + (byVariable ? [] : ["--group-readable-keys"])
        try await RunningSidecar.run(attachd, options) { sidecar in
            let answer = try await sidecar.get("/v1/jobs/none")
            #expect(answer.status == 401)
        }
    }

    @Test(
        "a batch is not resumed in another user's folder",
        arguments: ["out", "out/.attachd-batch", "out/manifest.jsonl"]
    )
    func batch(what: String) async throws {
        let (input, output) = ("\(attachd.folder.path)/in", "\(attachd.folder.path)/out")
        try FileManager.default.createDirectory(atPath: input, withIntermediateDirectories: true)
        #expect(try await attachd.run(["batch", input, "--out", output]).status == 0)
        try chown("\(attachd.folder.path)/\(what)")
        let outcome = try await attachd.run(["batch", input, "--out", output, "--resume"])
        #expect(outcome.status == 73 && outcome.errors.contains("chown"), "\(outcome.errors)")
    }
}
