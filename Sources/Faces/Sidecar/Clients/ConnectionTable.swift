import NIOCore
import Synchronization

/// The table of open connections. It closes some of them when there are too many.
///
/// If the table is full, a new connection replaces a connection with a slow request, or else an idle connection, or else
/// a download by the address with the most downloads. Some additional connections are reserved for health checks.
final class ConnectionTable: Sendable {
    /// The phase of a connection's current request.
    enum Phase: Sendable, Equatable {
        /// The request is being read and is not slow yet.
        case receiving
        /// The request has been read for too long.
        case slow
        case answering
        case sending
        /// The next request has not begun.
        case idle
    }

    typealias Number = Int

    fileprivate struct Connection {
        var address: ClientAddress
        var phase = Phase.receiving
        var since: NIODeadline
        var isReserve: Bool
        var close: @Sendable () -> Void
    }

    fileprivate struct State {
        var connections: [Number: Connection] = [:]
        var next = 0
        /// The number of connections outside the reserve.
        var regularCount = 0
        var slow: [ClientAddress: Int] = [:]
        /// A Boolean value that indicates whether the process ends, and waits for no slow request.
        var isDraining = false
    }

    private let limit: Int
    private let reserve: Int
    private let slowPerAddress: Int
    private let state = Mutex(State())

    /// The number of downloads of an address below which none of them is closed.
    fileprivate static let fewDownloads = 16

    init(limit: Int, reserve: Int, slowPerAddress: Int) {
        self.limit = limit
        self.reserve = reserve
        self.slowPerAddress = slowPerAddress
    }

    /// The maximum number of connections of the listener, a few more than this table keeps open.
    var listenerLimit: Int { limit + 2 * reserve }

    var count: Int { state.withLock { $0.connections.count } }

    /// Adds a connection. Closes another one if there are too many.
    func open(from address: ClientAddress, at now: NIODeadline, close: @escaping @Sendable () -> Void) -> Number {
        let (number, closing) = state.withLock { state in
            var victim: Connection?
            if state.regularCount >= limit { victim = state.victim.flatMap { state.remove($0) } }
            let isReserve = state.regularCount >= limit
            if isReserve, state.connections.count - state.regularCount >= reserve {
                victim = state.oldestOfReserve.flatMap { state.remove($0) }
            }
            state.next += 1
            if !isReserve { state.regularCount += 1 }
            state.connections[state.next] = Connection(
                address: address,
                since: now,
                isReserve: isReserve,
                close: close
            )
            return (state.next, victim?.close)
        }
        closing?()
        return number
    }

    /// Closes the connections whose requests are slow, and from now on each connection whose request becomes slow. attachd
    /// has accepted no part of such a request, and its client would decide when the process ends.
    func drain() {
        let closing = state.withLock { state in
            state.isDraining = true
            return state.connections.filter { $0.value.phase == .slow }.keys.compactMap { state.remove($0) }
        }
        for connection in closing { connection.close() }
    }

    /// Records the phase of a connection. Closes the oldest slow connection of an address that has too many of them.
    func move(_ number: Number, to phase: Phase, at now: NIODeadline) {
        let victim = state.withLock { state in
            guard let connection = state.connections[number], connection.phase != phase else { return Connection?.none }
            state.count(connection.phase, of: connection.address, by: -1)
            state.count(phase, of: connection.address, by: 1)
            state.connections[number]?.phase = phase
            state.connections[number]?.since = now
            guard phase == .slow else { return nil }
            if state.isDraining { return state.remove(number) }
            guard state.slow[connection.address] ?? 0 > slowPerAddress else { return nil }
            return state.oldestSlow(of: connection.address).flatMap { state.remove($0) }
        }
        victim?.close()
    }

    /// Returns whether the connection may serve requests other than health checks.
    func admit(_ number: Number) -> Bool {
        state.withLock { state in
            guard let connection = state.connections[number] else { return false }
            guard connection.isReserve else { return true }
            guard state.regularCount < limit else { return false }
            state.connections[number]?.isReserve = false
            state.regularCount += 1
            return true
        }
    }

    func remove(_ number: Number) { state.withLock { _ = $0.remove(number) } }

    fileprivate static func oldest(_ entries: some Sequence<(key: Number, value: Connection)>) -> Number? {
        entries.min { $0.value.since < $1.value.since }?.key
    }
}

extension ConnectionTable.State {
    /// The connection to close first, or `nil` if all connections have requests in progress.
    fileprivate var victim: ConnectionTable.Number? {
        let regular = connections.filter { !$0.value.isReserve }
        for phase in [ConnectionTable.Phase.slow, .idle] {
            if let number = ConnectionTable.oldest(regular.filter { $0.value.phase == phase }) { return number }
        }
        let downloads = Dictionary(grouping: regular.filter { $0.value.phase == .sending }) { $0.value.address }
        guard let most = downloads.values.max(by: { $0.count < $1.count }), most.count >= ConnectionTable.fewDownloads
        else { return nil }
        return ConnectionTable.oldest(most)
    }

    fileprivate var oldestOfReserve: ConnectionTable.Number? {
        ConnectionTable.oldest(connections.filter { $0.value.isReserve && $0.value.phase != .answering })
    }

    fileprivate func oldestSlow(of address: ClientAddress) -> ConnectionTable.Number? {
        ConnectionTable.oldest(connections.filter { $0.value.address == address && $0.value.phase == .slow })
    }

    fileprivate mutating func count(_ phase: ConnectionTable.Phase, of address: ClientAddress, by number: Int) {
        guard phase == .slow else { return }
        let count = (slow[address] ?? 0) + number
        slow[address] = count > 0 ? count : nil
    }

    @discardableResult
    fileprivate mutating func remove(_ number: ConnectionTable.Number) -> ConnectionTable.Connection? {
        guard let connection = connections.removeValue(forKey: number) else { return nil }
        if !connection.isReserve { regularCount -= 1 }
        count(connection.phase, of: connection.address, by: -1)
        return connection
    }
}

// MARK: - Addresses

/// The address of a client's connections. For IPv6 it is the /64 network, because a host can use all addresses of it.
struct ClientAddress: Hashable, Sendable {
    private let text: Substring

    init(_ address: SocketAddress?) { self.init(address?.ipAddress ?? "") }

    init(_ address: String) {
        let mapped = "::ffff:"
        if address.hasPrefix(mapped), address.contains(".") {
            text = address.dropFirst(mapped.count)
        } else if address.contains(":") {
            // Four groups, or fewer if zeros are omitted.
            let groups = address.split(separator: ":", omittingEmptySubsequences: false)
            text = "\(groups.prefix(4).prefix { !$0.isEmpty }.joined(separator: ":")):"
        } else {
            text = address[...]
        }
    }
}

// MARK: - Limits

/// The limits of clients' time and connections, so that slow clients do not block the others.
package struct ClientLimits: Sendable {
    /// The time limit of a request's header, from the start of the connection or from the header's first byte.
    package var headTime = Duration.seconds(10)
    /// The time limit of a request's complete body.
    package var bodyTime = Duration.seconds(10)
    /// The time after which a request counts as slow. Its connection may be closed when connections are scarce.
    package var slowTime = Duration.seconds(1)
    /// The maximum number of slow requests from one address.
    package var slowPerAddress = 32
    /// The interval in which a client must receive another `sendBytes`, or all pending bytes, of an answer.
    package var sendTime = Duration.seconds(30)
    package var sendBytes = 16_384
    /// The time for which a connection stays open without a request.
    package var idleTime = Duration.seconds(60)
    /// The number of additional connections that are reserved for health checks.
    package var reserve = 32

    package init() {}
}
