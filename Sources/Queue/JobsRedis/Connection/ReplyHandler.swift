import Base
import Jobs
import Media
import NIOCore
import Synchronization

/// A channel handler that sends exchanges and gives each of them its replies, which come in the order of the commands.
///
/// A cancelled exchange keeps its position in the order. An exchange that is not answered in time ends the connection,
/// because the exchanges behind it would wait in vain.
final class ReplyHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Exchange
    typealias OutboundOut = ByteBuffer

    /// The maximum number of commands without a reply. Further commands are refused.
    static let limit = 8192

    private let time: any TimeSource
    private var parser = ReplyParser()
    private var awaited = CircularBuffer<Exchange>()
    private var watch: (due: Instant, task: Scheduled<Void>)?
    private var flushIsDue = false

    init(time: any TimeSource) { self.time = time }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        guard awaited.count < Self.limit else {
            let reason = "More than \(Self.limit) commands already wait for replies of the queue's Redis."
            exchange.fail(.error(JobQueueError(.unavailable, reason)))
            promise?.succeed()
            return
        }
        awaited.append(exchange)
        var buffer = context.channel.allocator.buffer(capacity: exchange.commands.reduce(0) { $0 + $1.bytes.count })
        for command in exchange.commands { buffer.writeBytes(command.bytes) }
        context.write(wrapOutboundOut(buffer), promise: promise)
        watchFirst(context)
    }

    /// Sends everything written in the same turn of the event loop with one system call.
    func flush(context: ChannelHandlerContext) {
        guard !flushIsDue else { return }
        flushIsDue = true
        context.eventLoop.assumeIsolated().execute { [self] in
            flushIsDue = false
            context.flush()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.feed(unwrapInboundIn(data).readableBytesView)
        do {
            while let reply = try parser.next() {
                guard let exchange = awaited.first else {
                    return end(context, .invalidReply("a reply without a command"))
                }
                if exchange.take(reply) { awaited.removeFirst() }
            }
        } catch {
            end(context, .invalidReply("\(error)"))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context, .lost("The connection was closed."))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(context, .lost("\(error)")) }

    private func end(_ context: ChannelHandlerContext, _ failure: RedisError) {
        watch?.task.cancel()
        watch = nil
        let exchanges = awaited
        awaited.removeAll()
        for exchange in exchanges { exchange.fail(failure) }
        context.close(promise: nil)
    }

    /// Sets a timer for the deadline of the oldest exchange. Keeps an existing timer unless it fires too late.
    private func watchFirst(_ context: ChannelHandlerContext) {
        guard let first = awaited.first else { return }
        if let watch {
            guard first.deadline < watch.due else { return }
            watch.task.cancel()
        }
        let remaining = max(.zero, first.deadline - time.now)
        let task = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(remaining)) { [self] in
            watch = nil
            if let first = awaited.first, first.deadline <= time.now {
                end(context, .lost("It did not answer in time."))
            } else {
                watchFirst(context)
            }
        }
        watch = (first.deadline, task)
    }
}

// MARK: - Exchanges

/// A group of commands that is sent together, and its replies: one for each command, in the same order.
final class Exchange: Sendable {
    let commands: [RedisCommand]
    /// The time at which the connection is closed if replies are missing.
    let deadline: Instant
    private let replies = Mutex<[RedisReply]>([])
    private let outcome = OneShot<Result<[RedisReply], any Error>>()

    init(_ commands: [RedisCommand], deadline: Instant) {
        self.commands = commands
        self.deadline = deadline
    }

    /// Takes the next reply. Returns whether it was the last one. The waiting task may have been cancelled long before.
    func take(_ reply: RedisReply) -> Bool {
        let all = replies.withLock { replies in
            replies.append(reply)
            return replies
        }
        guard all.count == commands.count else { return false }
        outcome.set(.success(all))
        return true
    }

    func fail(_ failure: RedisError) { outcome.set(.failure(failure)) }

    func value() async throws -> [RedisReply] { try await outcome.get() }
}
