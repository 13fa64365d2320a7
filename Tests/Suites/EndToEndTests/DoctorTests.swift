import Foundation
import Support
import Testing

/// Tests of issue 21, section 3: what doctor and process say about libraries and formats.
@Suite("What attachd doctor lists", .timeLimit(.minutes(10)))
struct DoctorTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    private func lines(_ outcome: AttachdProgram.Outcome) -> [String] {
        outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("the libraries of both programs have versions, files and dates")
    func libraries() async throws {
        let outcome = try await attachd.run(["doctor", "--store", attachd.store])
        #expect(outcome.status == 0, "\(outcome.output)")
        let lines = lines(outcome)
        for name in [
            "libvips", "libheif", "libavcodec", "libavformat", "libdav1d", "libcurl", "libcrypto", "libsqlite3",
        ] {
            let line = try #require(lines.first { $0.hasPrefix("library \(name) ok: ") }, "\(name)")
            let version = try #require(line.firstMatch(of: /\d+\.\d+/)?.output)
            #expect(!version.isEmpty && line.contains("/\(name).so"), "\(line)")
            #expect(line.firstMatch(of: /\sof 20\d\d-\d\d-\d\d$/) != nil, "\(line)")
        }
        // libjpeg has no function for it.
        #expect(lines.contains { $0.hasPrefix("library libjpeg ok: tells no version, ") })
        #expect(lines.contains { $0.hasPrefix("library dates ok: each is that of the file") })
        #expect(lines.contains("formats switched off ok: none"))
    }

    @Test("formats and codecs that are switched off are off and not missing")
    func disabled() async throws {
        let options = ["--store", attachd.store, "--disable-format", "HEIC", "--disable-format", "vp9"]
        let outcome = try await attachd.run(["doctor"] + options)
        #expect(outcome.status == 0, "\(outcome.output)")
        let lines = lines(outcome)
        #expect(lines.contains("formats image/heic off: switched off by formats.disabled"))
        #expect(lines.contains("formats image/avif ok: decoded a sample"))
        #expect(
            lines.contains { $0.hasPrefix("codecs VP9 off: ") } && lines.contains { $0.hasPrefix("codecs H.264 ok: ") }
        )
        #expect(lines.contains("formats switched off ok: heic, vp9"))
    }

    @Test("the queue that an option names is looked at, and one that cannot be used is a missing part")
    func queue() async throws {
        func finding(_ queue: String, _ more: String...) async throws -> (status: Int32, line: String) {
            let outcome = try await attachd.run(["doctor", "--store", attachd.store, "--queue", queue] + more)
            let line = lines(outcome).first { $0.hasPrefix("queue ") } ?? outcome.errors
            return (outcome.status, line)
        }
        let folder = attachd.folder.path
        let new = try await finding("sqlite:./queue", "--listen", "127.0.0.1:0", "--no-preview", "--backlog", "7")
        #expect(
            new.status == 0 && new.line == "queue sqlite:\(folder)/queue ok: its file is created at the first start"
        )
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"}}"#
        let options = ["--store", attachd.store, "--queue", "sqlite:queue"]
        #expect(try await attachd.run(["enqueue", "-"] + options, input: Array(payload.utf8)).status == 0)
        let old = try await finding("sqlite:queue")
        #expect(old.status == 0 && old.line.hasSuffix(" ok: 1 jobs wait, 0 are in progress, 0 are dead letters"))
        let missing = try await finding("sqlite:/nowhere/queue")
        #expect(missing.status == 1 && missing.line.contains(" missing: ") && missing.line.contains("/nowhere"))
        try attachd.folder.write("no database", to: "text")
        let broken = try await finding("sqlite:text")
        #expect(broken.status == 1 && broken.line.contains(" missing: "), "\(broken.line)")
        let away = try await finding("redis://:hunter2@127.0.0.1:1")
        #expect(away.status == 1 && away.line.hasPrefix("queue redis://127.0.0.1:1 missing: "), "\(away.line)")
        #expect(try await finding("postgres://a").status == 78)
    }

    @Test("a queue's file that a running worker has open can be looked at")
    func busyQueue() async throws {
        try await RunningSidecar.run(attachd) { _ in
            let outcome = try await attachd.run(["doctor", "--store", attachd.store])
            #expect(outcome.status == 0 && outcome.output.contains("ok: 0 jobs wait"), "\(outcome.output)")
        }
    }

    @Test("misspelled variables are listed, and so are the sizes that fit into the memory")
    func variablesAndSizes() async throws {
        var attachd = attachd
        attachd.environment = ["ATTACHD_PUBLICURL": "https://hunter2"]
        let outcome = try await attachd.run(["doctor", "--store", attachd.store])
        #expect(outcome.status == 0 && !outcome.output.contains("hunter2") && outcome.errors == "")
        let lines = lines(outcome)
        #expect(
            lines.contains {
                $0.hasPrefix("settings ATTACHD_PUBLICURL ignored: ") && $0.hasSuffix("Did you mean ATTACHD_PUBLIC_URL?")
            }
        )
        #expect(lines.contains { $0.hasPrefix("limits pictures ok: JPEG up to ") })
        #expect(lines.contains { $0.hasPrefix("limits clips ok: ") })
    }

    @Test("process says that the format is switched off, and --explain lists what is")
    func explained() async throws {
        let photo = SampleMedia.photoURL.path
        let payload = try attachd.folder.write(
            #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(photo)"}"#,
            to: "payload.json",
        )
        let options = ["--store", attachd.store, "--disable-format", "jpeg", "--explain"]
        let outcome = try await attachd.run(["process", payload] + options)
        #expect(outcome.status == 0 && outcome.output.contains("photo.jpg"))
        #expect(outcome.errors.contains("switched off: jpeg\n"), "\(outcome.errors)")
        #expect(outcome.errors.contains("Sources of the format jpeg are switched off here."), "\(outcome.errors)")
    }
}
