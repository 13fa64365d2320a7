import JobsRedis
import NIOCore
import NIOPosix

/// A server on loopback whose answers to commands a test scripts, with any bytes.
struct ScriptedServer {
    private let channel: any Channel

    /// Starts the server. `answer` receives a command's words.
    init(host: String = "127.0.0.1", answer: @escaping @Sendable ([String]) -> [UInt8]) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(answer: answer))
                }
            }
            .bind(host: host, port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    func stop() async { try? await channel.close() }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: ([String]) -> [UInt8]
        /// The parser of commands: a command has the form of a reply.
        private var parser = ReplyParser()

        init(answer: @escaping ([String]) -> [UInt8]) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            parser.feed(unwrapInboundIn(data).readableBytesView)
            while let command = try? parser.next() {
                let words = command.elements?.compactMap(\.text) ?? []
                context.write(wrapOutboundOut(ByteBuffer(bytes: answer(words))), promise: nil)
            }
            context.flush()
        }
    }
}
