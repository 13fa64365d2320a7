import Hummingbird
import NIOCore
import Storage

/// A ready file, or parts of it, as the body of an answer. The lease is held until all is sent.
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

    /// What is read at once, and so what a slow client's connection takes of memory.
    private static let blockSize = 131_072

    var byteCount: Int { pieces.reduce(0) { $0 + $1.byteCount } }

    /// Small files are read here and written in one go, larger ones bit by bit as the client takes them.
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
