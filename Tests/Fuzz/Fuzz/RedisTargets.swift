import JobsRedis

enum RedisTargets {
    /// Checks that the same bytes give the same replies and the same end in any pieces, and no reply is larger than
    /// allowed.
    static func replies(_ bytes: [UInt8]) {
        let whole = read([bytes[...]])
        let size = Int(bytes.first ?? 0) % 7 + 1
        let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        let split = read(pieces)
        precondition(whole.replies == split.replies && whole.failed == split.failed)
    }

    private static func read(_ pieces: [ArraySlice<UInt8>]) -> (replies: [RedisReply], failed: Bool) {
        var parser = ReplyParser(costLimit: 1024)
        var replies: [RedisReply] = []
        for piece in pieces {
            parser.feed(piece)
            do {
                while let reply = try parser.next() {
                    precondition(cost(reply) <= 1024 + 2 * 32)
                    replies.append(reply)
                }
            } catch {
                return (replies, true)
            }
        }
        return (replies, false)
    }

    private static func cost(_ reply: RedisReply) -> Int {
        switch reply {
        case .array(let elements): elements.reduce(32) { $0 + cost($1) }
        case .bytes(let bytes): bytes.count + 32
        default: 32
        }
    }
}
