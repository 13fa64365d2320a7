import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers what nearly every phone asks for, a whole small file that is in memory, on the connection's own thread.
///
/// The router would do the same at three times the cost: it is passed by when nothing can wait. All else goes on to it:
/// ranges, conditions, larger files, files that must be read from the disk, and whatever isn't right.
final class ReadyFileShortcut: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let route: AttachmentsRoute
    private let observe: @Sendable (AnsweredRequest) -> Void
    /// Requests that the router hasn't answered yet. Answers keep the order of their requests (RFC 9112, section 9.3.2).
    private var routedCount = 0
    /// The answer to the request that is being read.
    private var answer: WholeFile?
    /// When the router last had a request: it closes a connection that it takes for idle.
    private var lastRouted = NIODeadline.now()
    /// What of our last answer the client hasn't taken yet.
    private var unsent: EventLoopFuture<Void>?

    /// Half of the time after which a connection without requests is closed.
    static let routedInterval: TimeAmount = .seconds(30)

    init(_ route: AttachmentsRoute, observe: @escaping @Sendable (AnsweredRequest) -> Void) {
        self.route = route
        self.observe = observe
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = isWanted(head, context) ? route.wholeFile(for: head) : nil
            guard answer == nil else { return }
            routedCount += 1
            lastRouted = .now()
        case .body:
            // Of no meaning in a GET (RFC 9110, section 9.3.1).
            guard answer == nil else { return }
        case .end:
            if let answer { return send(answer, context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { routedCount -= 1 }
        context.write(data, promise: promise)
    }

    /// Lets the client take the rest of an answer first, as long as an idle connection is kept.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard let unsent, mode == .all else { return context.close(mode: mode, promise: promise) }
        self.unsent = nil
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let patience = context.eventLoop.scheduleTask(in: Self.routedInterval) {
            bound.value.close(mode: mode, promise: promise)
        }
        unsent.whenComplete { _ in
            patience.cancel()
            bound.value.close(mode: mode, promise: nil)
            promise?.succeed()
        }
    }

    private func isWanted(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
        guard head.method == .get, AttachmentsRoute.isAt(head.path ?? ""), routedCount == 0 else { return false }
        // A client that doesn't take its answers must not make us hold more of them.
        guard context.channel.isWritable, NIODeadline.now() - lastRouted < Self.routedInterval else { return false }
        return !head.headerFields.contains(where: Self.isForRouter)
    }

    /// What asks for another answer than the whole file, or for something else of the connection.
    private static func isForRouter(_ field: HTTPField) -> Bool {
        switch field.name {
        case .range, .expect: true
        case .connection: field.value.lowercased() != "keep-alive"
        default: field.name.canonicalName.hasPrefix("if-")
        }
    }

    private func send(_ file: WholeFile, _ context: ChannelHandlerContext) {
        answer = nil
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .ok, headerFields: file.headers))), promise: nil)
        context.write(wrapOutboundOut(.body(file.bytes)), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        unsent = written.futureResult
        observe(AnsweredRequest(method: "GET", route: AttachmentsRoute.path, status: 200))
    }
}
