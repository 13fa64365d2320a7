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
            /// The output, or what an earlier batch keeps for `--resume`.
            case ownFolder
            /// A folder whose outputs would be where the batch writes a file of its own.
            case takenName
        }

        var path: RelativePath
        var kind: Kind
    }

    private struct Item {
        var kind: mode_t
        var output: OutputName
    }

    private let root: Directory
    private let selection: FileSelection
    private let formats: Set<OutputFormat>
    private let output: FileIdentity?
    /// The entries still to visit. The next one is last.
    private var pending: [Item]

    /// Creates the walk through `root`. `output` is the folder of the outputs if it exists. It is never entered, even if
    /// it is reached under another name, as through a bind mount.
    init(_ root: Directory, _ options: BatchOptions, output: FileIdentity?) {
        self.root = root
        self.output = output
        selection = options.selection
        formats = options.profile.outputFormats
        pending = [Item(kind: S_IFDIR, output: .root)]
    }

    mutating func next() -> Entry? {
        while let item = pending.popLast() {
            let path = item.output.source
            switch item.kind {
            case S_IFDIR:
                guard path.isRoot || !selection.excludes(path) else { continue }
                guard path.name != OutputFolder.ownName else { return Entry(path: path, kind: .ownFolder) }
                guard !OutputFolder.fileNames.contains(path.bytes) else {
                    return Entry(path: path, kind: .takenName)
                }
                do throws(FileError) {
                    guard try open(path) else { return Entry(path: path, kind: .ownFolder) }
                } catch {
                    return Entry(path: path, kind: .unreadableFolder(error))
                }
            case _ where !selection.contains(file: path): continue
            case S_IFREG: return Entry(path: path, kind: .file(item.output))
            case S_IFLNK: return Entry(path: path, kind: .link)
            default: return Entry(path: path, kind: .special)
            }
        }
        return nil
    }

    /// Adds the entries of a folder. Returns `false` if it is the output.
    private mutating func open(_ path: RelativePath) throws(FileError) -> Bool {
        let folder = try root.subdirectory(at: path)
        guard output == nil || FileIdentity(folder: folder.descriptor) != output else { return false }
        let entries = try folder.entries()
        let names = OutputNames(
            files: entries.filter { $0.kind != S_IFDIR }.map(\.name),
            folders: entries.filter { $0.kind == S_IFDIR }.map(\.name),
            formats: formats,
        )
        pending += entries.sorted { $1.name.lexicographicallyPrecedes($0.name) }
            .map { Item(kind: $0.kind, output: names.name(of: $0.name, in: path)) }
        return true
    }
}

// MARK: - Paths

/// A path below a folder, as bytes of the file system, because names need not be UTF-8.
package struct RelativePath: Sendable, Hashable, Comparable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The folder itself.
    static let root = RelativePath([])
    private static let slash = UInt8(ascii: "/")

    var isRoot: Bool { bytes.isEmpty }
    var components: [[UInt8]] { bytes.split(separator: Self.slash).map(Array.init) }

    /// A Boolean value that indicates whether the path stays below its folder.
    var staysBelow: Bool {
        !bytes.isEmpty && bytes.first != Self.slash && !bytes.contains(0)
            && components.allSatisfy { $0 != Array("..".utf8) && $0 != Array(".".utf8) }
    }

    /// The last component.
    var name: [UInt8] { components.last ?? [] }

    /// The path of the enclosing folder.
    var parent: RelativePath {
        RelativePath(Array(bytes[..<(bytes.lastIndex(of: Self.slash) ?? 0)]))
    }

    func appending(_ name: [UInt8]) -> RelativePath {
        RelativePath(isRoot ? name : bytes + [Self.slash] + name)
    }

    /// The path for display. Bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The path for a URL (RFC 3986). All characters except unreserved ones and slashes are escaped.
    var urlText: String {
        bytes.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~/".contains(character))
            return isPlain ? String(character) : "%" + Hexadecimal.text([byte]).uppercased()
        }
        .joined()
    }

    package static func < (left: RelativePath, right: RelativePath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
