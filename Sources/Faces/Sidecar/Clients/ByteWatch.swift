import NIOCore

/// A channel handler that watches the bytes of a connection. It notices the start of a request, and closes the
/// connection if its client stops reading the answer.
final class ByteWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let limits: ClientLimits
    private let requests: RequestWatch
    private var written = 0
    /// The number of bytes that the client had received at the last check.
    private var taken = 0
    private var sample: Scheduled<Void>?

    init(_ limits: ClientLimits, _ requests: RequestWatch) {
        self.limits = limits
        self.requests = requests
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        sample?.cancel()
        sample = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        requests.receivedBytes()
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard sample == nil, unsent(context) > 0 else { return }
        taken = written - unsent(context)
        watch(context)
    }

    private func watch(_ context: ChannelHandlerContext) {
        sample = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.sendTime)) { [self] in
            sample = nil
            let unsent = unsent(context)
            guard unsent > 0 else { return }
            guard written - unsent - taken >= limits.sendBytes else { return context.close(promise: nil) }
            taken = written - unsent
            watch(context)
        }
    }

    private func unsent(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
