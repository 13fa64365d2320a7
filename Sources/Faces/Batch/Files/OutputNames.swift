/// What the outputs of one folder's files are called, but for the extension of what each becomes.
///
/// `photo.png` becomes `photo.jpg`. Where another file or folder of the same folder would get in the way (`photo.png`
/// and `photo.heic` both become a JPEG), each of them keeps its whole name: `photo.png.jpg`, `photo.heic.jpg`. So the
/// names depend on nothing but the folder's own names, and no two files ever have the same.
struct OutputNames {
    private var stems: [[UInt8]: [UInt8]] = [:]

    /// `files` and `folders` are all names of the folder, whether they are selected or not.
    init(files: [[UInt8]], folders: [[UInt8]]) {
        var claims: [[UInt8]: Int] = [:]
        for file in files {
            claims[Self.stem(of: file), default: 0] += 1
            if Self.stem(of: file) != file { claims[file, default: 0] += 1 }
        }
        // A folder `photo.jpg` is in the way of what `photo.png` becomes.
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

    /// The name without its extension. A name that only begins with a dot has none.
    static func stem(of name: [UInt8]) -> [UInt8] {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else { return name }
        return Array(name[..<dot])
    }
}
