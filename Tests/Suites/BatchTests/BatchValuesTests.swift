import Media
import Testing

@testable import Batch

@Suite struct GlobTests {
    @Test(
        "patterns match as in .gitignore, without regard to case",
        arguments: [
            ("*.jpg", "a.jpg", true), ("*.jpg", "x/y/A.JPG", true), ("*.jpg", "a.jpeg", false),
            ("IMG_????.*", "dcim/img_0042.heic", true), ("raw/*", "raw/a.png", true), ("raw/*", "raw/x/a.png", false),
            ("raw/**", "raw/x/y/a.png", true), ("**/raw/*.png", "a/b/raw/c.png", true),
            ("**/raw/*.png", "raw/c.png", true), ("/a.png", "a.png", true), ("/a.png", "x/a.png", false),
            ("[ab].png", "x/b.png", true), ("cache/", "x/cache", true), ("*", ".hidden", true),
        ],
    )
    func matching(pattern: String, path: String, matches: Bool) throws {
        // A slash at the front anchors a pattern to the folder.
        #expect(try #require(Glob(pattern)).matches(RelativePath(path)) == matches)
    }

    @Test("an empty pattern is not a pattern") func nothing() { #expect(Glob("/") == nil && Glob("") == nil) }
}

@Suite struct OutputNamesTests {
    @Test("no two files of a folder have the same output, whatever their names")
    func unique() {
        let parts = [
            "a", "a.png", "a.jpg", "a.png.jpg", "a.png.webp", "a.png.jpg.gif", "a~", "a.png~", "a.png~~", ".a",
            ".a.png",
            "a.",
        ]
        // Every selection from these names.
        for choice in 0..<(1 << parts.count) {
            let files = parts.indices.filter { choice >> $0 & 1 == 1 }.map { Array(parts[$0].utf8) }
            let folders = parts.indices.filter { choice >> $0 & 1 == 0 }.map { Array(parts[$0].utf8) }
            let names = OutputNames(files: files, folders: folders, formats: Set(OutputFormat.allCases))
            // Each file may get each type.
            let outputs = files.map { file in
                Set(["jpg", "png", "gif", "webp"].map { names.name(of: file, in: .root).path(pathExtension: $0) })
            }
            guard outputs.reduce(into: Set(), { $0.formUnion($1) }).count == 4 * files.count else {
                Issue.record("\(files.map { String(decoding: $0, as: UTF8.self) }) can have the same output")
                return
            }
            guard outputs.joined().allSatisfy({ !folders.contains($0.bytes) }) else {
                Issue.record("an output of \(files.map { String(decoding: $0, as: UTF8.self) }) can be a folder")
                return
            }
        }
    }

    @Test(
        "a file that keeps its extension keeps its name; a longer name is only for outputs that could collide",
        arguments: [
            ("launch.gif", "gif", "launch.gif"), ("launch.mp4", "mp4", "launch.mp4"),
            ("launch.mp4", "jpg", "launch.mp4.jpg"), ("photo.heic", "jpg", "photo.jpg"),
        ],
    )
    func keeps(file: String, pathExtension: String, output: String) {
        let files = ["launch.gif", "launch.mp4", "photo.heic"].map { Array($0.utf8) }
        let name = OutputNames(files: files, folders: [], formats: Profile.apns.outputFormats)
            .name(of: Array(file.utf8), in: RelativePath("a"))
        #expect(name.path(pathExtension: pathExtension) == RelativePath("a/\(output)"))
        #expect(name.path(like: RelativePath("b/other.\(pathExtension)")) == RelativePath("a/\(output)"))
    }

    @Test(
        "the extension is the text after the last dot, if there is text on both sides of it",
        arguments: [("a.png", "a"), ("a.tar.gz", "a.tar"), (".hidden", ".hidden"), ("a.", "a."), ("a", "a")],
    )
    func stems(name: String, stem: String) { #expect(OutputNames.stem(of: Array(name.utf8)) == Array(stem.utf8)) }
}

@Suite struct ProgressTests {
    @Test("the status line shows the finished and failed files, the rate and the remaining time")
    func text() {
        var progress = BatchProgress()
        progress.total = 2000
        progress.complete = 480
        progress.original = 20
        #expect(progress.text(after: .seconds(50)) == "500 of 2000 (25 %) · 480 done, 20 failed · 10.0/s · 2:30 left")
        progress.complete = 1975
        progress.skipped = 5
        #expect(
            progress.text(after: .seconds(10)) == "2000 of 2000 (100 %) · 1975 done, 20 failed, 5 skipped · 200/s"
        )
    }

    @Test("files that an earlier run finished don't count toward this run's rate")
    func kept() {
        var progress = BatchProgress()
        progress.total = 1000
        progress.complete = 600
        progress.kept = 500
        #expect(progress.text(after: .seconds(10)).hasSuffix("10.0/s · 0:40 left"))
    }

    @Test("rates of zero files or zero seconds don't divide by zero")
    func empty() { #expect(BatchProgress().text(after: .zero) == "0 of 0 · 0 done, 0 failed · 0.0/s") }

    @Test("durations are written as on a clock", arguments: [(5.0, "0:05"), (65, "1:05"), (7209, "2:00:09")])
    func clock(seconds: Double, text: String) { #expect(BatchProgress.clock(seconds) == text) }
}
