import Foundation
import Support
import Testing

/// Tests of issue 21, section 3: what doctor and process say about libraries and formats.
@Suite("What attachd doctor lists", .timeLimit(.minutes(2)))
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

    @Test("process says that the format is switched off, and --explain lists what is")
    func explained() async throws {
        let photo = SharedMedia.packageRoot.appending(path: "Samples/media/photo.jpg").path
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
