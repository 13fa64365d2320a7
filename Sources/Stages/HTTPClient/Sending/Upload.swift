import Glibc
package import Media

/// The body of a PUT: bytes, or the beginning of an output, which is read while it is sent.
package enum Upload: Sendable {
    case bytes([UInt8])
    case file(OutputFile, byteCount: Int)

    package var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let byteCount): byteCount
        }
    }

    /// Fills `buffer` with the bytes at `offset`. Returns `nil` if they cannot be read, or no longer exist.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = min(buffer.count, byteCount - offset)
        guard wanted > 0 else { return wanted == 0 ? 0 : nil }
        switch self {
        case .bytes(let bytes):
            unsafe buffer.copyBytes(from: bytes[offset..<offset + wanted])
            return wanted
        case .file(let file, _):
            let count = unsafe pread(file.descriptor, buffer.baseAddress, wanted, off_t(offset))
            return count > 0 ? count : nil
        }
    }
}
