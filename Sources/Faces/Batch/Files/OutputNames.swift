import Media

/// The names of the outputs of one folder's files, without the extension of the output's type.
///
/// `photo.png` becomes `photo.jpg`, and `photo.jpg` keeps its name. If several outputs could get one name (`photo.png`
/// and `photo.heic` both become a JPEG), each file that changes its extension keeps its complete name: `photo.png.jpg`,
/// `photo.heic.jpg`. So the names depend only on the names in the folder, and are unique.
struct OutputNames {
    private var stems: [[UInt8]: [UInt8]] = [:]

    /// Creates the names from all `files` and `folders` of the folder, whether they are selected or not. `formats` are those
    /// that an output can have.
    init(files: [[UInt8]], folders: [[UInt8]], formats: Set<OutputFormat>) {
        // A folder `photo.jpg` collides with the output of `photo.png`.
        let folderStems = Set(folders.map(Self.stem))
        var claims: [[UInt8]: Int] = [:]
        for file in files {
            claims[Self.stem(of: file), default: 0] += 1
            if Self.stem(of: file) != file { claims[file, default: 0] += 1 }
        }
        for folder in folderStems { claims[folder, default: 0] += 1 }
        // A file that may keep its name collides with an output that has its stem.
        let extensions = Set(formats.map { Array($0.filenameExtension.utf8) })
        let keepers = files.filter { extensions.contains(Self.pathExtension(of: $0)) }
        var taken = folderStems.union(keepers.map(Self.stem))
        taken.formUnion(files.map(Self.stem).filter { claims[$0] == 1 })
        for file in files.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            var stem = Self.stem(of: file)
            if claims[stem] != 1 {
                stem = file
                while !taken.insert(stem).inserted { stem.append(UInt8(ascii: "~")) }
            }
            stems[file] = stem
        }
    }

    /// Returns the name of the output of `file`, a file in `folder`.
    func name(of file: [UInt8], in folder: RelativePath) -> OutputName {
        OutputName(source: folder.appending(file), stem: folder.appending(stems[file] ?? file))
    }

    /// Returns the name without its extension. A dot at the beginning of a name does not start an extension.
    static func stem(of name: [UInt8]) -> [UInt8] {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else { return name }
        return Array(name[..<dot])
    }

    /// Returns the name's extension, or an empty array if the name does not have one.
    static func pathExtension(of name: [UInt8]) -> [UInt8] { Array(name[stem(of: name).count...].dropFirst()) }
}

/// The name of one file's output, up to the extension of the output's format.
struct OutputName: Sendable, Equatable {
    /// The file's path in the input.
    let source: RelativePath
    /// The path of an output whose extension differs from the source's, without that extension.
    let stem: RelativePath

    /// The folder's own, which has no output.
    static let root = OutputName(source: .root, stem: .root)

    /// Returns the path of an output with `pathExtension`. A source with this extension keeps its name.
    func path(pathExtension: String) -> RelativePath {
        path(pathExtension: Array(pathExtension.utf8))
    }

    /// Returns the path of an output with the same extension as `other`.
    func path(like other: RelativePath) -> RelativePath {
        path(pathExtension: OutputNames.pathExtension(of: other.name))
    }

    private func path(pathExtension: [UInt8]) -> RelativePath {
        OutputNames.pathExtension(of: source.name) == pathExtension
            ? source : RelativePath(stem.bytes + [UInt8(ascii: ".")] + pathExtension)
    }
}
