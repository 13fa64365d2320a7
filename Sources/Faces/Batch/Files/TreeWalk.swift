import Files
import Glibc
import Media

/// A sequence of everything below a folder except folders, always in the order of the names' bytes.
///
/// Only the folders from the root to the current position are in memory.
struct TreeWalk: Sequence, IteratorProtocol {
    struct Entry: Sendable, Equatable {
        enum Kind: Sendable, Equatable {
            case file(OutputName)
            /// A symbolic link; it is not followed.
            case link
            /// A pipe, a socket or a device.
            case special
            case unreadableFolder(FileError)
        }

        var path: RelativePath
        var kind: Kind
    }

    private struct Item {
        var path: RelativePath
        var kind: mode_t
        var output: OutputName
    }

    private let root: Directory
    private let selection: FileSelection
    private let formats: Set<OutputFormat>
    /// The entries still to visit. The next one is last.
    private var pending: [Item]

    init(_ root: Directory, _ options: BatchOptions) {
        self.root = root
        selection = options.selection
        formats = options.profile.outputFormats
        pending = [Item(path: .root, kind: S_IFDIR, output: .root)]
    }

    mutating func next() -> Entry? {
        while let item = pending.popLast() {
            switch item.kind {
            case S_IFDIR:
                guard item.path.isRoot || !selection.excludes(item.path) else { continue }
                do throws(FileError) {
                    try open(item.path)
                } catch {
                    return Entry(path: item.path, kind: .unreadableFolder(error))
                }
            case _ where !selection.contains(file: item.path): continue
            case S_IFREG: return Entry(path: item.path, kind: .file(item.output))
            case S_IFLNK: return Entry(path: item.path, kind: .link)
            default: return Entry(path: item.path, kind: .special)
            }
        }
        return nil
    }

    private mutating func open(_ path: RelativePath) throws(FileError) {
        let entries = try root.subdirectory(at: path).entries()
        let names = OutputNames(
            files: entries.filter { $0.kind != S_IFDIR }.map(\.name),
            folders: entries.filter { $0.kind == S_IFDIR }.map(\.name),
            formats: formats,
        )
        pending += entries.sorted { $1.name.lexicographicallyPrecedes($0.name) }
            .map { entry in
                let output = names.name(of: entry.name, in: path)
                return Item(path: output.source, kind: entry.kind, output: output)
            }
    }
}
