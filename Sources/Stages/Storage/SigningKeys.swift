import Digests
import Glibc
import Media
import Values

/// The secrets that names of files and signatures of URLs are made with: one, or two while keys are changed.
///
/// To change keys, put the new one in the first line and the old one in the second; when the last URL that the old one
/// signed has expired, remove it. The file is read anew when it changes.
package struct SigningKeys: Sendable, Equatable {
    /// Signs, and names what is stored.
    let current: Secret<[UInt8]>
    /// Signed what is still out there.
    let previous: Secret<[UInt8]>?

    /// One key a line, of at least 32 characters; `nil` for anything else.
    package init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { Secret(Array($0.utf8)) }
        guard (1...2).contains(lines.count), lines.allSatisfy({ $0.revealed.count >= 32 }) else { return nil }
        current = lines[0]
        previous = lines.count > 1 ? lines[1] : nil
    }

    var all: [Secret<[UInt8]>] { [current] + [previous].compactMap(\.self) }

    static let fileName = "signing.key"

    /// Reads the keys in `directory`, where they are made at the first start. `isGroupReadable`: see `SecretFile`.
    init(in directory: Directory, by scratch: Directory, isGroupReadable: Bool = false) throws(StoreError) {
        if try directory.openFile(Self.fileName).map({ close($0.descriptor) }) == nil {
            try Self.make(in: directory, by: scratch)
        }
        guard let (file, _) = try directory.openFile(Self.fileName) else {
            throw StoreError("open", "\(directory.path)/\(Self.fileName)", ENOENT)
        }
        defer { close(file) }
        // Never replaced when they make no sense: that would break every URL that is out.
        let source = SecretFile("\(directory.path)/\(Self.fileName)", isGroupReadable: isGroupReadable)
        self = try Self(text: source.read(file).text, of: source)
    }

    /// Reads the keys in a file that the configuration names, or those of a store anew.
    package init(reading file: SecretFile) throws(StoreError) {
        self = try Self(text: file.read().text, of: file)
    }

    private init(text: String, of file: SecretFile) throws(StoreError) {
        guard let keys = SigningKeys(text) else {
            let finding =
                "\(file.path) must hold one key of at least 32 characters, or two while keys are changed, each in a line."
            throw .secret(file.path, finding, remedy: "The file was left as it is.")
        }
        self = keys
    }

    private static func make(in directory: Directory, by scratch: Directory) throws(StoreError) {
        let name = Base32.random()
        let file = try scratch.createFile(name)
        defer { close(file) }
        try FileContent.write("\(Base32.random())\(Base32.random())\n", to: file)
        try FileContent.sync(file)
        // Another process may start at the same moment: the first one's keys are everybody's.
        try scratch.move(name, to: directory, unlessThere: fileName)
        try directory.sync()
    }
}
