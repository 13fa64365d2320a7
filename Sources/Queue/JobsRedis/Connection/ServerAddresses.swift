import Names
import NIOCore
import NIOPosix
import Synchronization
import Timing

/// The addresses of one server, for NIO, which dials one after the other until one answers (RFC 8305).
///
/// NIO's own resolver blocks a thread for each name, for as long as its servers take.
final class ServerAddresses: NIOPosix.Resolver, Sendable {
    private let names: Names.Resolver
    private let deadline: Instant
    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let lookup = Mutex<Task<Void, Never>?>(nil)

    init(_ names: Names.Resolver, until deadline: Instant, on loop: any EventLoop) {
        self.names = names
        self.deadline = deadline
        (v4, v6) = (loop.makePromise(), loop.makePromise())
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    /// Asks for both families, as NIO asks for IPv6 first.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let task = Task { [names, deadline, v4, v6] in
            do {
                // The server is a site of its own, so names of other sites do not hold it back.
                let found = try await names.addresses(of: host, for: host, until: deadline)
                v6.succeed(try Self.sockets(found, .v6, port))
                v4.succeed(try Self.sockets(found, .v4, port))
            } catch {
                v6.fail(error)
                v4.fail(error)
            }
        }
        lookup.withLock { $0 = task }
        return v6.futureResult
    }

    func cancelQueries() { lookup.withLock { $0 }?.cancel() }

    private static func sockets(
        _ addresses: [IPAddress],
        _ family: IPAddress.Family,
        _ port: Int,
    ) throws -> [SocketAddress] {
        try addresses.filter { $0.family == family }.map {
            try SocketAddress(ipAddress: $0.description, port: port)
        }
    }
}

extension ResolverError {
    /// The reason why a server cannot be dialled.
    var reason: String {
        switch self {
        case .notFound: "Its name is not known."
        case .timedOut: "The DNS servers did not answer in time."
        case .failed: "The DNS servers failed."
        case .busy: "Too many other names are being looked up."
        case .cancelled: "It was not dialled."
        }
    }
}
