package import Base
package import Files
import Glibc
import Media

/// The keys for the names of files and the signatures of URLs: one key, or two during a change of keys.
///
/// To change keys, put the new key in the first line and the old key in the second. Remove the old key when the last
/// URL that it signed has expired. attachd reloads the file when it changes.
package struct SigningKeys: Sendable, Equatable {
    /// The key that signs URLs and names files.
    let current: Secret<[UInt8]>
    /// The old key, whose URLs may still be in use.
    let previous: Secret<[UInt8]>?

    /// Reads one key for each line, of at least 32 characters. Returns `nil` for any other text.
    package init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { Secret(Array($0.utf8)) }
        guard (1...2).contains(lines.count), lines.allSatisfy({ $0.revealed.count >= 32 }) else { return nil }
        current = lines[0]
        previous = lines.count > 1 ? lines[1] : nil
    }

    var all: [Secret<[UInt8]>] { [current] + [previous].compactMap(\.self) }

    /// The fingerprint of each key, from which nobody learns the key: a keyed hash of a fixed text.
    package var fingerprints: [String] {
        all.map { Hexadecimal.text(Array(KeyedHash.whole(Array("attachd signing key".utf8), key: $0).prefix(16))) }
    }

    package static let fileName = "signing.key"

    /// Reads the keys in `directory`, or creates them at the first start. `isGroupReadable`: see `SecretFile`.
    init(in directory: Directory, by scratch: Directory, isGroupReadable: Bool = false) throws(FileError) {
        if try directory.openFile(Self.fileName.utf8).map({ close($0.descriptor) }) == nil {
            try Self.make(in: directory, by: scratch)
        }
        guard let (file, _) = try directory.openFile(Self.fileName.utf8) else {
            throw FileError("open", "\(directory.path)/\(Self.fileName)", ENOENT)
        }
        defer { close(file) }
        // An invalid file is not replaced: new keys would break every existing URL.
        let source = SecretFile("\(directory.path)/\(Self.fileName)", isGroupReadable: isGroupReadable)
        self = try Self(text: source.read(file), of: source)
    }

    /// Reads the keys from a file of the configuration or of a store.
    package init(reading file: SecretFile) throws(FileError) {
        self = try Self(text: file.read(), of: file)
    }

    private init(text: String, of file: SecretFile) throws(FileError) {
        guard let keys = SigningKeys(text) else {
            let finding =
                "\(file.path) must hold one key of at least 32 characters, or two keys during a change, each in a line."
            throw .secret(file.path, finding, remedy: "Correct the file; attachd does not change it.")
        }
        self = keys
    }

    private static func make(in directory: Directory, by scratch: Directory) throws(FileError) {
        let name = Base32.random()
        let file = try scratch.createFile(name.utf8)
        defer { close(file) }
        let key = "\(Base32.random())\(Base32.random())\n"
        try FileContent.write(Array(key.utf8), to: file, named: fileName)
        try FileContent.sync(file, named: fileName)
        // Another process may start at the same moment. Both then use the keys of the first one.
        try scratch.move(name.utf8, to: directory, unlessThere: fileName.utf8)
        try directory.sync()
    }
}

// MARK: - Messages

/// A signer of outgoing posts. The receiver can verify their sender and their time.
package struct MessageSigner: Sendable {
    private let keyring: Replaceable<SigningKeys>

    /// Creates a signer that always uses the current keys.
    package init(keys: Replaceable<SigningKeys>) { keyring = keys }

    package init(keys: SigningKeys) { keyring = Replaceable(keys) }

    /// Returns `t=SECONDS,v1=SIGNATURE`. The signature is the HMAC-SHA256 in hexadecimal of the seconds since 1970, a
    /// full stop and the body, with the first line of the key file as the key. A receiver should reject an old `t` as a
    /// replay.
    package func signature(of body: [UInt8], at time: UnixTime = .now) -> String {
        let seconds = String(time.seconds)
        let signature = KeyedHash.whole(Array("\(seconds).".utf8) + body, key: keyring.current.current)
        return "t=\(seconds),v1=\(Hexadecimal.text(signature))"
    }
}
