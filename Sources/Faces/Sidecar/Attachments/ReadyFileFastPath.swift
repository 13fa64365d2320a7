import Events
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A channel handler that answers the request of nearly every phone on the connection's own thread: a plain `GET` of a
/// small file whose pages are in memory.
///
/// The router gives the same answer at more than twice the processor time (`Scripts/bench downloads`). It gets all
/// other requests: ranges, conditions, larger files, files that must be read from the disk, and refusals.
final class ReadyFileFastPath: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let route: AttachmentsRoute
    private let instrument: any Instrument<SidecarEvent>
    /// The number of requests that the router has not answered yet. Answers keep the order of their requests (RFC 9112,
    /// section 9.3.2).
    private var routedCount = 0
    /// The answer to the request that is being read, if it is answered here.
    private var answer: WholeFile?
    /// The time of the router's latest request. The server closes a connection whose router has been idle for too long.
    private var lastRouted = NIODeadline.now()
    /// The end of the latest answer on its way to the client.
    private var unsent: EventLoopFuture<Void>?

    /// Half of the time after which the server closes a connection without requests.
    static let routedInterval: TimeAmount = .seconds(30)

    init(_ route: AttachmentsRoute, instrument: any Instrument<SidecarEvent>) {
        self.route = route
        self.instrument = instrument
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = isPlain(head, context) ? route.wholeFile(for: head) : nil
            guard answer == nil else { return }
            routedCount += 1
            lastRouted = .now()
        case .body:
            // The body of a GET has no meaning (RFC 9110, section 9.3.1).
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

    /// Lets the client receive the rest of an answer before the connection closes, within the time for an idle one.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard let unsent, mode == .all else { return context.close(mode: mode, promise: promise) }
        self.unsent = nil
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let limit = context.eventLoop.scheduleTask(in: Self.routedInterval) {
            bound.value.close(mode: mode, promise: promise)
        }
        unsent.whenComplete { _ in
            limit.cancel()
            bound.value.close(mode: mode, promise: nil)
            promise?.succeed()
        }
    }

    private func isPlain(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
        guard head.method == .get, AttachmentsRoute.isAt(head.path ?? ""), routedCount == 0 else { return false }
        // A client that does not read its answers must not make this server keep more of them.
        guard context.channel.isWritable, NIODeadline.now() - lastRouted < Self.routedInterval else { return false }
        return !head.headerFields.contains(where: Self.isForRouter)
    }

    /// Returns whether a field asks for another answer than the whole file, or for the end of the connection.
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
        instrument.record(.answered(AnsweredRequest(method: "GET", route: file.route, status: 200)))
    }
}
