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
