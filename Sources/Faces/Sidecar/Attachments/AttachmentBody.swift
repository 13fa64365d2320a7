import Hummingbird
import NIOCore
import Storage

/// A ready file, or a part of it, as the body of an answer. It keeps the hold until all bytes are sent.
struct AttachmentBody: Sendable {
    let hold: AttachmentHold
    let store: AttachmentStore
    let range: Range<Int>

    /// The number of bytes read at once, which is also the memory for each connection of a slow client.
    private static let blockSize = 131_072

    /// The body. It writes a small file at once, and a larger one block by block as the client receives it.
    var content: ResponseBody {
        get async throws {
            if range.count <= Self.blockSize { return ResponseBody(byteBuffer: try await block(range)) }
            return ResponseBody(contentLength: range.count) { writer in
                for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.blockSize) {
                    try await writer.write(block(start..<min(start + Self.blockSize, range.upperBound)))
                }
                try await writer.finish(nil)
            }
        }
    }

    /// Reads a block: on this thread if it is in the page cache, as in most cases, and otherwise on the store's thread.
    private func block(_ range: Range<Int>) async throws -> ByteBuffer {
        if let buffer = try read(range, waits: false) { return buffer }
        let result = await store.perform { Result { try read(range, waits: true) } }
        return try result.get() ?? ByteBuffer()
    }

    private func read(_ range: Range<Int>, waits: Bool) throws -> ByteBuffer? {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        var isThere = true
        try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
            let wanted = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<range.count])
            let count = try unsafe hold.read(at: range.lowerBound, into: wanted, waits: waits)
            isThere = count != nil
            return count ?? 0
        }
        return isThere ? buffer : nil
    }
}
