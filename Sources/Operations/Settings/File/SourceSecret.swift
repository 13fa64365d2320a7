package import Files

/// A file that a rule of `sources` takes a secret from. It is read again when it changes.
package struct SourceSecret: Sendable {
    /// The file's purpose, for the log.
    package let name: String
    package let file: SecretFile
    /// Reads the file again and applies its content. Returns `true` if the content is new, and throws if it is not valid.
    package let reload: @Sendable () throws -> Bool
}
