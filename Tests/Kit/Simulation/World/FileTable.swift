/// All files that the stores of a run ever had, by the URLs that they were given.
///
/// `@unchecked Sendable`: a run has one thread.
final class FileTable: @unchecked Sendable {
    struct File {
        /// The URL of the source, as the bytes of the file tell it.
        var source: String
        var byteCount: Int
        var longEdge: Int
        /// The name of its content, which is the same on all workers.
        var content: String
        /// The time at which it was made.
        var made: Duration
    }

    private var files: [String: File] = [:]

    subscript(url: String) -> File? {
        get { files[url] }
        set { files[url] = newValue }
    }

    /// Returns the contents that were made from a source.
    func contents(of source: String) -> [String] {
        Set(files.values.filter { $0.source == source }.map(\.content)).sorted()
    }
}
