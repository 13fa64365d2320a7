/// The names of the outputs of one folder's files, without the extension of the output's type.
///
/// `photo.png` becomes `photo.jpg`. If the names of several files or folders would collide (`photo.png` and
/// `photo.heic` both become a JPEG), each file keeps its complete name: `photo.png.jpg`, `photo.heic.jpg`. So the names
/// depend only on the names in the folder, and are unique.
struct OutputNames {
    private var stems: [[UInt8]: [UInt8]] = [:]

    /// Creates the names from all `files` and `folders` of the folder, whether they are selected or not.
    init(files: [[UInt8]], folders: [[UInt8]]) {
        var claims: [[UInt8]: Int] = [:]
        for file in files {
            claims[Self.stem(of: file), default: 0] += 1
            if Self.stem(of: file) != file { claims[file, default: 0] += 1 }
        }
        // A folder `photo.jpg` collides with the output of `photo.png`.
        var taken = Set(folders.map(Self.stem))
        for folder in taken { claims[folder, default: 0] += 1 }
        for file in files.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            var stem = Self.stem(of: file)
            if claims[stem] != 1 { stem = file }
            while !taken.insert(stem).inserted { stem.append(UInt8(ascii: "~")) }
            stems[file] = stem
        }
    }

    func stem(for file: [UInt8]) -> [UInt8] { stems[file] ?? file }

    /// Returns the name without its extension. A dot at the beginning of a name does not start an extension.
    static func stem(of name: [UInt8]) -> [UInt8] {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else { return name }
        return Array(name[..<dot])
    }
}
