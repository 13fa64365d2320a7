import Media
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SeededRandom
import Synchronization
import Timing

/// An HTTP(S) origin that serves a folder, as badly as it is told to: by rules, and by each request's query.
package final class MisbehavingOrigin: Sendable {
    package struct Configuration: Sendable {
        package var host = "127.0.0.1"
        /// 0 takes a free one.
        package var port = 0
        package var rules: [FaultRule] = []
        /// Which lots are drawn: the same seed gives the same faults for the same requests.
        package var seed: UInt64 = 1
        /// PEM files of a certificate with its chain, and of its key: HTTPS.
        package var certificate: (chain: String, key: String)?
        /// How long the handshake is held back.
        package var tlsDelay = Duration.zero
        /// Called for each answer.
        package var observe: @Sendable (OriginExchange) -> Void = { _ in }

        package init() {}
    }

    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>

    private struct State {
        var first: Instant?
        /// How often each path with its query was asked for.
        var counts: [String: UInt64] = [:]
    }

    package let port: Int
    private let configuration: Configuration
    private let folder: OriginFolder
    private let server: NIOAsyncChannel<Connection, Never>
    private let time = SystemTime()
    private let state = Mutex(State())

    /// Listens; throws when the port is taken or the certificate cannot be read.
    package init(_ folder: OriginFolder, _ configuration: Configuration) async throws {
        self.folder = folder
        self.configuration = configuration
        let security = try configuration.certificate.map { files in
            let chain = try NIOSSLCertificate.fromPEMFile(files.chain).map { NIOSSLCertificateSource.certificate($0) }
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
            )
        }
        let delay = TimeAmount(configuration.tlsDelay)
        server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .bind(host: configuration.host, port: configuration.port) { channel in
                let ready = channel.eventLoop.scheduleTask(in: security == nil ? .zero : delay) {
                    let pipeline = channel.pipeline.syncOperations
                    if let security { try pipeline.addHandler(NIOSSLServerHandler(context: security)) }
                    // No encoder: it would refuse the lies.
                    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    return try Connection(wrappingChannelSynchronously: channel)
                }
                return ready.futureResult
            }
        port = server.channel.localAddress?.port ?? configuration.port
    }

    /// Serves until the task is cancelled.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await server.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in connections {
                        group.addTask { [self] in
                            // A client that goes away is no news.
                            try? await connection.executeThenClose { requests, writer in
                                let answers = OriginConnection(origin: self, connection.channel, requests, writer)
                                try await answers.serve()
                            }
                        }
                    }
                    group.cancelAll()
                }
            }
        } onCancel: {
            server.channel.close(promise: nil)
        }
    }

    /// Draws the faults of a request, and says how long its answer is held back.
    func behaviour(path: String, query: String) throws(FaultError) -> (Behaviour, delay: Duration) {
        let asked = try Faults(query: query)
        let faults = configuration.rules.filter { $0.matches(path) }
            .reduce(Faults()) { $0.followed(by: $1.faults) }.followed(by: asked)
        let now = time.now
        let (count, age) = state.withLock { state in
            let first = state.first ?? now
            state.first = first
            if !faults.all.isEmpty { state.counts["\(path)?\(query)", default: 0] += 1 }
            return (state.counts["\(path)?\(query)", default: 0], now - first)
        }
        // Of the request itself, not of the order in which requests come: that one differs from run to run.
        let seed = "\(path)?\(query)".utf8.reduce(faults.seed ?? configuration.seed) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        var random = SplitMix(seed: seed &+ count)
        let behaviour = Behaviour(faults.all, using: &random)
        return (behaviour, behaviour.delay(at: age))
    }

    func file(at path: String) -> OriginFile? { folder.file(at: path) }

    func answered(_ exchange: OriginExchange) { configuration.observe(exchange) }
}

/// A request and what was answered.
package struct OriginExchange: Sendable, Equatable {
    package var method: String
    /// With the query, as it was sent.
    package var target: String
    package var status: Int
    /// Of the body.
    package var sentByteCount: Int
}
