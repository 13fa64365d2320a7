import Hummingbird
import NIOCore
import Storage

/// A ready file, or a part of it, as the body of an answer. The lease is held until all is sent.
struct AttachmentBody: Sendable {
    let lease: AttachmentHold
    let store: AttachmentStore
    let range: Range<Int>

    /// What is read at once, and so what a slow client's connection takes of memory.
    private static let blockSize = 131_072

    /// Small files are read here and written in one go, larger ones bit by bit as the client takes them.
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

    /// Reads on this thread what is in memory, which is nearly always, and on a thread of the store's what isn't.
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
            let count = try unsafe lease.read(at: range.lowerBound, into: wanted, waits: waits)
            isThere = count != nil
            return count ?? 0
        }
        return isThere ? buffer : nil
    }
}
