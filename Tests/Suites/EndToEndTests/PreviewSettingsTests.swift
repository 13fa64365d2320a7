import Foundation
import Support
import Testing

@Suite("The preview's settings, end to end", .timeLimit(.minutes(10)))
struct PreviewSettingsTests {
    private static let samples = SharedMedia.packageRoot.appending(path: "Samples")

    @Test("the sample configurations are read", arguments: ["attachd.yaml", "preview/attachd.yaml"])
    func samples(name: String) async throws {
        let outcome = try await AttachdProgram().run(["dialects", "--config", Self.samples.appending(path: name).path])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(
        "an invalid category is refused, and the message names its key",
        arguments: [
            ("actions: {a: {}}", "categories.c.actions.a.title"),
            ("actions: {a: {title: A, options: [loud]}}", "destructive"), ("color: red", "categories.c.color"),
            ("options: [x]", "customDismissAction"), ("layout: missing.html", "categories.c.layout"),
            ("layout: bad.html", "categories.c.layout"), ("infoPlist: Info.plist", "event-invite"),
            ("infoPlist: bad.html", "categories.c.infoPlist"),
            ("contentExtension: {initialContentSizeRatio: 99}", "from 0.01 to 10"),
            ("{infoPlist: Info.plist, contentExtension: {}}", "Give one of them only"),
        ]
    )
    func refused(category: String, words: String) async throws {
        let attachd = try AttachdProgram()
        let folder = attachd.folder.url
        try "{{{title}}}".write(to: folder.appending(path: "bad.html"), atomically: true, encoding: .utf8)
        try FileManager.default.copyItem(
            at: Self.samples.appending(path: "preview/Info.plist"),
            to: folder.appending(path: "Info.plist")
        )
        let table = category.hasPrefix("{") ? category : "{\(category)}"
        let file = folder.appending(path: "attachd.yaml")
        try "categories: {c: \(table)}".write(to: file, atomically: true, encoding: .utf8)
        let outcome = try await attachd.run(["dialects", "--config", file.path])
        #expect(outcome.status == 78 && outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("serve has a preview unless --no-preview is given", arguments: [([], 200), (["--no-preview"], 404)])
    func noPreview(arguments: [String], status: Int) async throws {
        try await RunningSidecar.run(AttachdProgram(), arguments) { sidecar in
            let answer = try await sidecar.get("/preview")
            #expect(answer.status == status)
        }
    }
}
