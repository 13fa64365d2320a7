import Storage

extension FileContent {
    /// Writes all of `bytes` to a file of the batch. Errors name the file `name`.
    static func write(_ bytes: [UInt8], to file: Int32, named name: String) throws(FileError) {
        do throws(StoreError) {
            try unsafe bytes.span.withUnsafeBytes { bytes throws(StoreError) in try unsafe write(bytes, to: file) }
        } catch {
            throw FileError("write", name, error.code)
        }
    }
}
