import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// A channel handler that enforces the time limits of a connection's requests and answers malformed ones.
///
/// The header and the body have separate time limits. They run only while the server is ready to read: the time of a
/// request that was sent before its predecessor was answered starts with that answer.
final class RequestWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The part of a request that is being read.
    private enum Reading {
        case nothing
        case head(since: NIODeadline)
        /// The start is `nil` while an earlier request is being answered.
        case body(since: NIODeadline?)
    }

    private let limits: ClientLimits
    private let table: ConnectionTable
    private let isDraining: @Sendable () -> Bool
    private var number: ConnectionTable.Number?
    private var context: ChannelHandlerContext?
    private var reading = Reading.nothing
    /// The number of requests whose answers are not complete.
    private var unanswered = 0
    private var tick: Scheduled<Void>?
    /// A Boolean value that indicates whether reading has ended and the connection closes after the current answer.
    private var isEnding = false

    /// The time that a client has to receive an error before the connection closes.
    private static let farewell = Duration.seconds(5)

    init(_ limits: ClientLimits, _ table: ConnectionTable, isDraining: @escaping @Sendable () -> Bool) {
        self.limits = limits
        self.table = table
        self.isDraining = isDraining
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let channel = context.channel
        let number = table.open(from: ClientAddress(channel.remoteAddress), at: .now()) { channel.close(promise: nil) }
        self.number = number
        channel.closeFuture.whenComplete { [table] _ in table.remove(number) }
        reading = .head(since: .now())
        keepTime(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        tick?.cancel()
        tick = nil
    }

    // MARK: - Reading

    /// Records that the client has sent bytes. It is called before they are parsed.
    func receivedBytes() {
        guard case .nothing = reading, unanswered == 0, let context else { return }
        reading = .head(since: .now())
        move(to: .receiving)
        keepTime(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            reading = .body(since: unanswered == 1 ? .now() : nil)
            keepTime(context)
            if let problem = problem(with: head) { return answer(problem, context) }
        case .body: break
        case .end:
            reading = .nothing
            move(to: .answering)
        }
        context.fireChannelRead(data)
    }

    private func problem(with head: HTTPRequest) -> Problem? {
        // The first `Host` is the request's authority (RFC 9112, section 3.2).
        if head.headerFields.contains(.named("Host")) { return .unreadable }
        let path = head.path?.prefix { $0 != "?" } ?? ""
        guard !HealthRoutes.isCheck(path), number.map(table.admit) != true else { return nil }
        return Problem(.serviceUnavailable, "All connections are taken. Try again shortly.", retryAfter: 1)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is IOError), !(error is ChannelError) else { return context.fireErrorCaught(error) }
        guard !isEnding else { return }
        if unanswered == 0 {
            answer(.unreadable, context)
        } else {
            // The reader of the body answers soon.
            isEnding = true
            context.fireErrorCaught(UnreadableRequestError.malformed)
            closeSoon(context)
        }
    }

    // MARK: - Answering

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            move(to: .sending)
            // A client that sent more requests already gets their answers first.
            guard unanswered == 1, isDraining() else { break }
            isEnding = true
            head.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            unanswered = max(0, unanswered - 1)
            switch reading {
            case .body where unanswered <= 1: reading = .body(since: .now())
            case .nothing where unanswered == 0: move(to: .idle)
            default: break
            }
            keepTime(context)
            if isEnding { return end(context, data, promise) }
        }
        context.write(data, promise: promise)
    }

    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in bound.value.close(mode: .output, promise: nil) }
        context.writeAndFlush(data, promise: written)
        closeSoon(context)
    }

    /// Answers a request that is not passed on, and closes the connection.
    private func answer(_ problem: Problem, _ context: ChannelHandlerContext) {
        isEnding = true
        unanswered = max(1, unanswered)
        let body = problem.body
        var head = HTTPResponse(status: problem.status, headerFields: problem.headers)
        head.headerFields[.contentLength] = String(body.count)
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        unanswered -= 1
        end(context, wrapOutboundOut(.end(nil)), nil)
    }

    private func closeSoon(_ context: ChannelHandlerContext) {
        tick?.cancel()
        tick = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(Self.farewell)) {
            context.close(promise: nil)
        }
    }

    // MARK: - Time

    private func keepTime(_ context: ChannelHandlerContext) {
        guard tick == nil else { return }
        let interval = min(limits.slowTime, limits.headTime, limits.bodyTime)
        tick = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(interval)) { [self] in
            tick = nil
            timePassed(context)
        }
    }

    private func timePassed(_ context: ChannelHandlerContext) {
        switch reading {
        case .nothing: break
        case .body(since: nil): keepTime(context)
        case .head(let start): check(start, limits.headTime, context) { context.close(promise: nil) }
        case .body(let start?):
            check(start, limits.bodyTime, context) {
                isEnding = true
                // A request that is already being answered does not need another answer.
                if unanswered > 0 { context.fireErrorCaught(UnreadableRequestError.late) }
                closeSoon(context)
            }
        }
    }

    private func check(_ start: NIODeadline, _ limit: Duration, _ context: ChannelHandlerContext, _ end: () -> Void) {
        let age = NIODeadline.now() - start
        guard age < TimeAmount(limit) else { return end() }
        if age >= TimeAmount(limits.slowTime) { move(to: .slow) }
        keepTime(context)
    }

    private func move(to phase: ConnectionTable.Phase) {
        if let number { table.move(number, to: phase, at: .now()) }
    }
}

/// The reason why a request's body cannot be read.
enum UnreadableRequestError: Error {
    case malformed, late
}
