import Hummingbird
import NIOCore
import Storage

/// A ready file, or parts of it, as the body of an answer. It keeps the hold until all bytes are sent.
struct AttachmentBody: Sendable {
    enum Piece: Sendable, Equatable {
        case bytes(Range<Int>)
        case text(String)

        var byteCount: Int {
            switch self {
            case .bytes(let range): range.count
            case .text(let text): text.utf8.count
            }
        }
    }

    let lease: AttachmentHold
    let store: AttachmentStore
    let pieces: [Piece]

    /// The number of bytes read at once, which is also the memory for each connection of a slow client.
    private static let blockSize = 131_072

    var byteCount: Int { pieces.reduce(0) { $0 + $1.byteCount } }

    /// The body. It writes a small file at once, and a larger one block by block as the client receives it.
    var content: ResponseBody {
        get async throws {
            if pieces.count == 1, case .bytes(let range) = pieces[0], range.count <= Self.blockSize {
                return ResponseBody(byteBuffer: try await block(range))
            }
            return ResponseBody(contentLength: byteCount) { writer in
                for piece in pieces {
                    switch piece {
                    case .text(let text): try await writer.write(ByteBuffer(string: text))
                    case .bytes(let range):
                        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.blockSize) {
                            try await writer.write(block(start..<min(start + Self.blockSize, range.upperBound)))
                        }
                    }
                }
                try await writer.finish(nil)
            }
        }
    }

    /// The complete content of a small file in the page cache, or `nil` for any other file.
    var wholeAtOnce: ByteBuffer? {
        get throws { lease.byteCount <= Self.blockSize ? try read(0..<lease.byteCount, waits: false) : nil }
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
            let count = try unsafe lease.read(at: range.lowerBound, into: wanted, waits: waits)
            isThere = count != nil
            return count ?? 0
        }
        return isThere ? buffer : nil
    }
}
