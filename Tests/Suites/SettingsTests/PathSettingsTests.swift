import Base
import Files
import Foundation
import Jobs
import Support
import Testing

@testable import Settings

@Suite("Paths of settings")
struct PathSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "are absolute, without dots and empty names",
        arguments: [
            ("../x", "/a/x"), ("x", "/a/b/x"), ("./x/", "/a/b/x"), ("/x/../y//z/.", "/y/z"), ("../../../..", "/"),
            ("/", "/"), ("x/../../y", "/a/y"), ("..x/y..", "/a/b/..x/y.."),
        ]
    )
    func form(path: String, absolute: String) { #expect(AbsolutePath.of(path, in: "/a/b") == absolute) }

    @Test("the parent of a link is that of the folder that it leads to; other links stay")
    func links() throws {
        let root = folder.url.resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: root.appending(path: "a/b"), withIntermediateDirectories: true)
        let link = root.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a/b")
        #expect(AbsolutePath.of("\(link)/../x") == root.appending(path: "a/x").path)
        #expect(AbsolutePath.of("\(link)/x") == "\(link)/x")
    }

    @Test("are made absolute wherever a setting names a file or folder")
    func settings() throws {
        let root = folder.path
        let token = try folder.write("0123456789abcdef", to: "token")
        let authorities = try folder.write("", to: "authorities.pem")
        _ = try folder.write("Bearer a", to: "header")
        let rule = "sources: {a: {match: 'https://a.example/', headers: {A: {file: ./x/../header}}}}"
        try FileManager.default.createDirectory(at: folder.url.appending(path: "x"), withIntermediateDirectories: true)
        let file = try folder.write(rule, to: "attachd.yaml")
        let source = SettingsSource(
            options: [
                "store": .text("../store"), "queue": .secret(Secret("sqlite:queues/../queue")),
                "apiTokenFile": .text("\(root)/./token"), "caFile": .text("\(root)//authorities.pem"),
            ],
            environment: [:],
            configurationFile: "\(root)/x/../attachd.yaml",
        )
        let settings = try Settings(reading: source)
        let here = FileManager.default.currentDirectoryPath
        #expect(settings.store == URL(filePath: here).deletingLastPathComponent().appending(path: "store").path)
        #expect(settings.queue.withoutSecrets == "sqlite:\(here)/queue")
        #expect(settings.apiTokenFile?.path == token && settings.caFile == authorities)
        #expect(settings.configurationFile == file)
        #expect(settings.sourceSecrets.first?.file.path == "\(root)/header")
    }
}
