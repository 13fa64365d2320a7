package import Base
import Media
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP(S) origin that serves a folder with the faults of its rules and of each request's query.
package final class MisbehavingOrigin: Sendable {
    package struct Configuration: Sendable {
        package var host = "127.0.0.1"
        /// The port; 0 for any free one.
        package var port = 0
        package var rules: [FaultRule] = []
        /// The seed of the random number generator. The same seed gives the same faults for the same requests.
        package var seed: UInt64 = 1
        /// The PEM files of a certificate with its chain and of its key, for HTTPS.
        package var certificate: (chain: String, key: String)?
        /// The delay of the TLS handshake.
        package var tlsDelay = Duration.zero
        /// Receives each answer.
        package var recorder: any EventRecorder<OriginExchange> = NoRecorder<OriginExchange>()

        package init() {}
    }

    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>

    private struct State {
        var first: Instant?
        /// The number of requests for each path with its query.
        var counts: [String: UInt64] = [:]
    }

    package let port: Int
    private let configuration: Configuration
    private let folder: OriginFolder
    private let server: NIOAsyncChannel<Connection, Never>
    private let time = SystemTime()
    private let state = Mutex(State())

    /// Starts to listen. Throws if the port is in use or the certificate cannot be read.
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
                    // There is no HTTP encoder, because it would refuse false headers.
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
                            // Clients that disconnect are expected.
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

    /// Chooses the faults of a request, and returns them with the delay of the answer.
    func behaviour(path: String, query: String) throws(FaultSyntaxError) -> (Behaviour, delay: Duration) {
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
        // The seed depends on the request and not on the order of requests, which differs from run to run.
        let seed = "\(path)?\(query)".utf8.reduce(faults.seed ?? configuration.seed) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        var random = SplitMix(seed: seed &+ count)
        let behaviour = Behaviour(faults.all, using: &random)
        return (behaviour, behaviour.delay(at: age))
    }

    func file(at path: String) -> OriginFile? { folder.file(at: path) }

    func answered(_ exchange: OriginExchange) { configuration.recorder.record(exchange) }
}

/// A request and its answer.
package struct OriginExchange: Sendable, Equatable {
    package var method: String
    /// The path with the query, as it was sent.
    package var target: String
    package var status: Int
    /// The number of bytes of the body that were sent.
    package var sentByteCount: Int
}
