import Base
import Files
import Foundation
import Media
import Payloads
import Support
import Testing

@testable import Batch

@Suite("A batch", .timeLimit(.minutes(10)))
struct BatchRunTests {
    let batch: BatchFixture

    init() throws { batch = try BatchFixture() }

    @Test("keeps the tree's shape, names each output by its new format, and accounts for every file")
    func tree() async throws {
        try batch.write("a.png", "A")
        try batch.write("deep/er/b.heic", "B")
        try batch.write("deep/notes.txt", Array("no media".utf8))
        try batch.write("empty.jpg", [])
        let progress = try await batch.run()
        #expect(try batch.made == ["a.jpg": "A", "deep/er/b.jpg": "B"])
        #expect(
            try batch.outputs == [
                "a.png": "a.jpg", "deep/er/b.heic": "deep/er/b.jpg", "deep/notes.txt": "-", "empty.jpg": "-",
            ]
        )
        #expect(progress.total == 4 && progress.complete == 2 && progress.original == 2)
        #expect(try batch.lines.compactMap { $0.errors.first?["reason"]?.text } == ["unrecognizedFormat", "empty"])
    }

    @Test("two files whose outputs would have the same name are both kept")
    func collisions() async throws {
        for (name, word) in [("a.png", "1"), ("a.heic", "2"), ("a.png.webp", "3"), ("b", "4"), ("b.png", "5")] {
            try batch.write(name, word)
        }
        try batch.write("c.png", "6")
        try batch.write("c.jpg/d.png", "7")
        try await batch.run()
        #expect(Set(try batch.made.values) == ["1", "2", "3", "4", "5", "6", "7"])
        #expect(try batch.outputs["a.png"] == "a.png.jpg" && batch.outputs["a.heic"] == "a.heic.jpg")
        #expect(try batch.outputs["b"] == "b~.jpg" && batch.outputs["b.png"] == "b.png.jpg")
        #expect(try batch.outputs["c.jpg/d.png"] == "c.jpg/d.jpg")
    }

    @Test("links, pipes and unreadable files are reported and not followed, and names may be any bytes")
    func oddities() async throws {
        let outside = batch.folder.url.appending(path: "secret.png")
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x53]).write(to: outside)
        try FileManager.default.createSymbolicLink(atPath: "\(batch.input)/link.png", withDestinationPath: outside.path)
        try FileManager.default.createSymbolicLink(atPath: "\(batch.input)/up", withDestinationPath: "..")
        unsafe mkfifo("\(batch.input)/pipe.png", 0o600)
        try batch.write("two\nlines.png", "N")
        let bytes = Array("\(batch.input)/caf".utf8) + [0xE9] + Array(".png".utf8)
        let file = unsafe open(bytes.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT, 0o600)
        let content: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x4C]
        unsafe write(file, content, content.count)
        close(file)

        let progress = try await batch.run()
        #expect(progress.skipped == 3 && progress.complete == 2)
        #expect(batch.decoders.words == ["L", "N"])
        let latin = try #require(try batch.lines.first { $0.path?.isUTF8 == false })
        #expect(latin.output == RelativePath(Array("caf".utf8) + [0xE9] + Array(".jpg".utf8)))
        #expect(try batch.outputs["two\nlines.png"] == "two\nlines.jpg")
        // A second run finds the same files.
        #expect(try await batch.run(resumes: true).kept == 5)
    }

    @Test("patterns choose files")
    func patterns() async throws {
        for name in ["a.PNG", "b.gif", "raw/c.png", "raw/deep/d.png", "e.png"] { try batch.write(name, name) }
        try await batch.run(include: ["*.png"], exclude: ["raw/deep", "e.*"])
        #expect(Set(try batch.outputs.keys) == ["a.PNG", "raw/c.png"])
    }

    @Test("a resumed batch skips finished files and repeats changed ones")
    func resume() async throws {
        for word in ["A", "B", "C"] { try batch.write("\(word).png", word) }
        try await batch.run()
        batch.decoders.forget()
        try batch.write("B.png", "changed")
        try batch.write("D.png", "D")
        let progress = try await batch.run(resumes: true)
        #expect(batch.decoders.words == ["D", "changed"])
        #expect(progress.kept == 2 && progress.complete == 4)
        #expect(try batch.made == ["A.jpg": "A", "B.jpg": "changed", "C.jpg": "C", "D.jpg": "D"])
        #expect(try batch.lines.compactMap { $0.path?.text } == ["A.png", "B.png", "C.png", "D.png"])
    }

    @Test("files that swapped names in a ring are recognised by their content")
    func renamed() async throws {
        for word in ["1", "2", "3"] { try batch.write("\(word).png", word) }
        try batch.write("old.png", "O")
        try await batch.run()
        batch.decoders.forget()
        try batch.rename("3.png", to: "x.png")
        try batch.rename("2.png", to: "3.png")
        try batch.rename("1.png", to: "2.png")
        try batch.rename("x.png", to: "1.png")
        try batch.rename("old.png", to: "new/name.png")
        let progress = try await batch.run(resumes: true)
        #expect(batch.decoders.words == [])
        #expect(progress.reused == 4 && progress.complete == 4)
        #expect(try batch.made == ["1.jpg": "3", "2.jpg": "1", "3.jpg": "2", "new/name.jpg": "O"])
        #expect(try batch.outputs.count == 4)
    }

    @Test("a new file that takes another's output name moves both outputs, and nothing is made again")
    func newNeighbour() async throws {
        try batch.write("a.png", "A")
        try await batch.run()
        try batch.write("a.webp", "B")
        try await batch.run(resumes: true)
        #expect(batch.decoders.words == ["A", "B"])
        #expect(try batch.made == ["a.png.jpg": "A", "a.webp.jpg": "B"])
    }

    @Test("copies of a file have the same result without being decoded again")
    func duplicates() async throws {
        try batch.write("a.png", "same")
        try await batch.run()
        for index in 0..<20 { try batch.write("copies/\(index).png", "same") }
        let progress = try await batch.run(resumes: true)
        #expect(batch.decoders.words == ["same"])
        #expect(progress.reused == 20 && progress.kept == 1)
        #expect(Set(try batch.made.values) == ["same"])
        #expect(try batch.made.count == 21)
    }

    @Test("an output that was deleted or changed is made again")
    func damagedOutputs() async throws {
        for word in ["A", "B", "C"] { try batch.write("\(word).png", word) }
        try await batch.run()
        batch.decoders.forget()
        try FileManager.default.removeItem(atPath: "\(batch.output)/A.jpg")
        try Data("other".utf8).write(to: URL(filePath: "\(batch.output)/B.jpg"))
        try await batch.run(resumes: true)
        #expect(batch.decoders.words == ["A", "B"])
        #expect(try batch.made == ["A.jpg": "A", "B.jpg": "B", "C.jpg": "C"])
    }

    @Test("different options make everything again")
    func otherOptions() async throws {
        try batch.write("A.png", "A")
        try await batch.run(options: "0000")
        try await batch.run(resumes: true, options: "0001")
        #expect(batch.decoders.words == ["A", "A"])
        #expect(try batch.outputs == ["A.png": "A.jpg"])
    }

    @Test("a failure that lies in the content is kept; one that may pass is tried again")
    func failures() async throws {
        try batch.write("A.png", "A")
        batch.decoders.fail(.corrupt)
        try await batch.run()
        try await batch.run(resumes: true)
        #expect(batch.decoders.words == ["A"])
        batch.decoders.forget()
        try batch.write("B.png", "B")
        batch.decoders.fail(.timedOut)
        try await batch.run(resumes: true)
        batch.decoders.fail(nil)
        try await batch.run(resumes: true)
        #expect(batch.decoders.words == ["B", "B"])
        #expect(try batch.outputs == ["A.png": "-", "B.png": "B.jpg"])
    }

    @Test("a manifest whose last line is torn is repaired, whatever byte it ends at")
    func tornManifest() async throws {
        for word in ["A", "B", "C"] { try batch.write("\(word).png", word) }
        try await batch.run()
        let manifest = URL(filePath: "\(batch.output)/manifest.jsonl")
        let whole = try Data(contentsOf: manifest)
        let lastLine = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
        for end in [lastLine + 1, lastLine + 200, whole.count - 1] {
            batch.decoders.forget()
            try whole.prefix(end).write(to: manifest)
            try await batch.run(resumes: true)
            #expect(batch.decoders.words == ["C"])
            #expect(try batch.outputs == ["A.png": "A.jpg", "B.png": "B.jpg", "C.png": "C.jpg"])
        }
    }

    @Test("the output of a deleted file stays until another file needs its name")
    func goneFiles() async throws {
        try batch.write("a.png", "A")
        try batch.write("b.png", "B")
        try await batch.run()
        try batch.remove("a.png")
        try await batch.run(resumes: true)
        #expect(try batch.made == ["a.jpg": "A", "b.jpg": "B"])
        try batch.write("a.webp", "C")
        try await batch.run(resumes: true)
        #expect(try batch.made == ["a.jpg": "C", "b.jpg": "B"])
        #expect(try batch.outputs == ["a.webp": "a.jpg", "b.png": "b.jpg"])
    }

    @Test("a stopped batch keeps finished files and does the rest later")
    func stop() async throws {
        for index in 0..<50 { try batch.write("\(index).png", "\(index)") }
        let monitor = BatchMonitor()
        monitor.stop()
        try await batch.run(monitor: monitor)
        #expect(batch.decoders.words == [])
        try await batch.run(resumes: true)
        #expect(batch.decoders.words.count == 50)
        #expect(try batch.made.count == 50)
    }

    @Test("an output folder that is inside the input, contains it, or is in other use is refused")
    func places() throws {
        try batch.write("a.png", "A")
        let link = batch.folder.url.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: batch.input)
        for output in [batch.input, "\(batch.input)/out", "\(batch.input)/not/there", "\(link)/out", batch.folder.path]
        {
            #expect(throws: BatchError.self) {
                _ = try BatchFolders(input: batch.input, output: output, resumes: false)
            }
        }
        try FileManager.default.createDirectory(atPath: "\(batch.output)/mine", withIntermediateDirectories: true)
        #expect(throws: BatchError.self) {
            _ = try BatchFolders(input: batch.input, output: batch.output, resumes: true)
        }
        #expect(throws: BatchError.self) {
            _ = try BatchFolders(input: "\(batch.input)/nowhere", output: "\(batch.output)/2", resumes: false)
        }
    }

    @Test("`..` in --out leads out of the folder to which a link leads, as in a shell")
    func linkedPlaces() throws {
        try batch.write("deep/a.png", "A")
        let link = batch.folder.url.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(batch.input)/deep")
        #expect(throws: BatchError.self) {
            _ = try BatchFolders(input: batch.input, output: "\(link)/../out", resumes: false)
        }
        let folders = try BatchFolders(input: batch.input, output: "\(link)/../../new/../~", resumes: false)
        #expect(folders.output == "\(batch.folder.path)/~")
    }

    @Test("an output that leads into the input only after the check is refused, and nothing is written")
    func movedPlace() throws {
        try batch.write("deep/a.png", "A")
        let folders = try BatchFolders(input: batch.input, output: batch.output, resumes: false)
        try FileManager.default.createSymbolicLink(atPath: batch.output, withDestinationPath: "\(batch.input)/deep")
        #expect(throws: BatchError.self) { _ = try folders.createOutput() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(batch.input)/deep") == ["a.png"])
    }

    @Test("folders of the input with the names of the batch's own files and folders do no harm, and are accounted for")
    func ownNames() async throws {
        for path in ["manifest.jsonl/a.png", "report.html/b.png", ".attachd-batch/tmp-1.png"] {
            try batch.write(path, path)
        }
        // Only at the top are these names taken, and a batch's own folder is one everywhere.
        for path in ["deep/report.html/c.png", "earlier/.attachd-batch/d.png"] { try batch.write(path, path) }
        for resumes in [false, true] {
            let progress = try await batch.run(resumes: resumes)
            #expect(progress.complete == 1 && progress.original == 2 && progress.skipped == 2)
            #expect(try batch.made == ["deep/report.html/c.jpg": "deep/report.html/c.png"])
        }
        #expect(batch.folder.files.contains("out/report.html"))
        #expect(try batch.outputs["report.html"] == "-" && batch.outputs[".attachd-batch"] == "-")
        #expect(batch.decoders.words == ["deep/report.html/c.png"])
        #expect(try await batch.run(resumes: true, exclude: ["report.html", "manifest.jsonl"]).original == 0)
    }

    @Test("the output is never read as input, even where it is reached under another name")
    func outputInWalk() async throws {
        try batch.write("a.png", "A")
        try batch.write("elsewhere/b.jpg", "B")
        let output = try Directory.open("\(batch.input)/elsewhere")
        let options = BatchOptions(
            selection: FileSelection(),
            profile: .apns,
            fingerprint: "0000",
            timeLimit: .seconds(1),
            decoders: 1,
        )
        let walk = TreeWalk(try .open(batch.input), options, output: FileIdentity(folder: output.descriptor))
        #expect(walk.map(\.path.text) == ["a.png", "elsewhere"])
        #expect(walk.map(\.kind).last == .ownFolder)
    }

    @Test("a finished batch is resumed only on request, and by one process at a time")
    func oneAtATime() async throws {
        try batch.write("a.png", "A")
        try await batch.run()
        await #expect(throws: BatchError.self) { try await batch.run() }
        let folders = try BatchFolders(input: batch.input, output: batch.output, resumes: true)
        let other = try folders.createOutput()
        await #expect(throws: BatchError.self) { try await batch.run(resumes: true) }
        withExtendedLifetime(other) {}
    }

    @Test("a dry run reports the work and writes nothing")
    func dryRun() async throws {
        try batch.write("a.png", "A")
        try batch.write("b.txt", Array("text".utf8))
        func plan(resumes: Bool) throws -> [String] {
            let folders = try BatchFolders(input: batch.input, output: batch.output, resumes: resumes)
            let options = BatchOptions(
                selection: FileSelection(),
                profile: .apns,
                fingerprint: "0000",
                timeLimit: .seconds(1),
                decoders: 1,
            )
            var lines: [String] = []
            try DryRun(folders, options, resumes: resumes).run { lines.append($0) }
            return lines
        }
        let first = try plan(resumes: false)
        #expect(first[0] == #"{"path":"a.png","action":"make","output":"a"}"#)
        #expect(first[1].contains(#""action":"skip""#) && first.count == 2)
        #expect(!FileManager.default.fileExists(atPath: batch.output))
        try await batch.run()
        try batch.rename("a.png", to: "c.png")
        try batch.write("d.png", "D")
        #expect(
            try plan(resumes: true).filter { !$0.contains("skip") } == [
                #"{"path":"c.png","action":"reuse"}"#, #"{"path":"d.png","action":"make","output":"d"}"#,
            ]
        )
    }
}
