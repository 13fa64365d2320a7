import Media
import NIOCore
import Timing
import Values

/// An open connection to one server. It ends with that server, and is never opened again.
struct Link: Sendable {
    let channel: any Channel
    let server: HostAndPort
    let time: any TimeSource

    /// Sends commands and returns their replies. Throws an error among the replies.
    func exchange(_ commands: [RedisCommand], within limit: Duration) async throws -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let exchange = Exchange(commands, deadline: time.now + limit)
        channel.writeAndFlush(exchange).whenFailure { exchange.fail(.unreachable("\($0)")) }
        let replies = try await exchange.value()
        for case .error(let text) in replies { throw RedisError(reply: text) }
        return replies
    }

    func close() { channel.close(promise: nil) }
}
