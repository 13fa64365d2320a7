import Foundation
import Testing

/// Tests that the folders and the imports agree with the layers.
struct LayerTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// Returns the folders of `Sources` by layer, without the wrappers of C libraries.
    private static func folders() throws -> [String: Set<String>] {
        let sources = root.appending(path: "Sources")
        var folders: [String: Set<String>] = [:]
        for layer in try FileManager.default.contentsOfDirectory(atPath: sources.path) where layer != "C" {
            let modules = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: layer).path)
            folders[layer] = Set(modules)
        }
        return folders
    }

    /// Returns the modules of this package that the files in `folder` import.
    private static func imports(in folder: URL, of known: Set<String>) throws -> Set<String> {
        var found: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let word = words.firstIndex(of: "import"), words.count > word + 1 else { continue }
                if words[..<word].allSatisfy({ $0 == "package" || $0 == "public" || $0.hasPrefix("@") }) {
                    found.insert(String(words[word + 1]))
                }
            }
        }
        return found.intersection(known)
    }

    @Test("the folders of Sources are the layers, and each holds exactly its modules")
    func layers() throws {
        let expected = Dictionary(uniqueKeysWithValues: Architecture.layers.map { ($0, Set($1.map(\.key))) })
        #expect(try Self.folders() == expected)
    }

    @Test("each module imports only the modules that it may import", arguments: Architecture.modules.map(\.name))
    func arrows(name: String) throws {
        let module = try #require(Architecture.modules.first { $0.name == name })
        let sources = Self.root.appending(path: "Sources")
        let libraries = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: "C").path)
        let known = Set(Architecture.modules.map(\.name)).union(libraries)
        let found = try Self.imports(in: sources.appending(path: "\(module.layer)/\(name)"), of: known)
        #expect(
            found == module.imports,
            "Change Tests/Suites/ArchitectureTests/Architecture.swift only if the new arrow is meant"
        )
    }

    // A wait with a time limit on the wall clock lasts for as long as an operator sets that clock back.
    @Test("no wait of a thread counts on the wall clock")
    func monotonic() throws {
        let pattern = /\.wait\((timeout|wallTimeout):|wallDeadline|_timedwait/
        let files = try #require(
            FileManager.default.enumerator(at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        )
        for case let file as URL in files where ["swift", "c", "h"].contains(file.pathExtension) {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(pattern), "\(file.lastPathComponent)")
        }
    }

    @Test("the architecture page lists every module in the row of its layer", arguments: Architecture.layers.map(\.key))
    func page(layer: String) throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/architecture.md"), encoding: .utf8)
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(layer)` |") })
        let listed = row.split(separator: "|")[1].split(separator: " · ").map { $0.filter { $0 != " " && $0 != "`" } }
        #expect(Set(listed) == Set(Architecture.modules.filter { $0.layer == layer }.map(\.name)))
    }

    @Test("no layer imports a later one: faces know no operations, and nothing knows the program")
    func direction() {
        let ranks = [
            "Core": 0, "Decoder": 1, "Pipeline": 1, "Stages": 2, "Queue": 2, "Tools": 2, "Faces": 3, "Operations": 4,
            "Program": 5,
        ]
        let layers = Dictionary(uniqueKeysWithValues: Architecture.modules.map { ($0.name, $0.layer) })
        for module in Architecture.modules {
            for other in module.imports {
                guard let layer = layers[other], let rank = ranks[layer], let own = ranks[module.layer] else {
                    continue
                }
                #expect(rank <= own, "\(module.name) (\(module.layer)) imports \(other) (\(layer))")
            }
        }
    }

    @Test("continuations stand in Concurrency only")
    func continuations() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            guard !file.path.contains("/Core/Base/Concurrency/") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            let uses = text.matches(of: /with(Checked|Unsafe)(Throwing)?Continuation|(Checked|Unsafe)Continuation</)
            #expect(uses.isEmpty, "\(file.lastPathComponent): use the types of Concurrency to wait")
        }
    }
}
