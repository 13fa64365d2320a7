package import Base
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import ServiceLifecycle

/// A server of HTTP at one address, with limits for its clients.
struct HTTPListener {
    let address: HostAndPort
    let clients: ClientLimits
    /// The maximum number of connections.
    let connectionLimit: Int
    /// Returns whether the process ends soon. Each connection then closes after its answer.
    var isDraining: @Sendable () -> Bool = { false }
    let logger: Logger

    /// Serves the routes until a graceful shutdown. `onListening` receives the port.
    func serve(
        _ router: Router<ClientContext>,
        onListening: @escaping @Sendable (_ port: Int) -> Void,
    ) async throws {
        // Hummingbird says that it listens, too. The caller says it with the port as a field.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        let table = ConnectionTable(
            limit: connectionLimit,
            reserve: clients.reserve,
            slowPerAddress: clients.slowPerAddress,
        )
        let application = Application(
            router: router,
            server: HTTPServerBuilder {
                SidecarChannel(responder: $0, limits: clients, table: table, isDraining: isDraining)
            },
            configuration: .init(
                address: .hostname(address.host, port: address.port),
                serverName: "attachd",
                // Linux's own limit since 5.4. With a lower limit, a burst of connections costs clients a second each:
                // the kernel drops their SYN, and they repeat it only then.
                backlog: 4_096,
                availableConnectionsDelegate: .maximum(table.listenerLimit, logger: logger),
            ),
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) },
            logger: quiet,
        )
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                table.drain()
            }
        } catch let error as IOError {
            throw ListenError(address: address, code: error.errnoCode)
        }
    }
}

/// The error of an address that a server cannot listen on.
package struct ListenError: Error, Sendable {
    package var address: HostAndPort
    /// The cause, as in errno(3).
    package var code: CInt
}

// MARK: - A client's connection

/// A client's connection: HTTP/1.1, with attachd's handlers between the parser and the router.
struct SidecarChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: Responder
    let limits: ClientLimits
    let table: ConnectionTable
    let isDraining: @Sendable () -> Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let requests = RequestWatch(limits, table, isDraining: isDraining)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ByteWatch(limits, requests))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: Self.decoderLimits,
            )
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(requests)
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: limits.idleTime, logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true),
            )
        }
    }

    func handle(value: Value, logger: Logger) async {
        // A request that waits for nothing never leaves the thread of its connection.
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await handleHTTP(asyncChannel: value, logger: logger)
        }
    }

    private static var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16_384
        limits.maxHeaderListSize = 65_536
        limits.maxHeaderFieldCount = 200
        return limits
    }
}

/// The thread of an event loop, as the executor of the tasks of its connections.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

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
