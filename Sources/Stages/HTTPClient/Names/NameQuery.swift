import Base
import CAres
import CLinux
import Glibc

/// A query for the addresses of one name. It belongs to the thread of the query loop.
///
/// Each query has its own c-ares channel. So it can be ended alone, which c-ares 1.18 cannot do with one query of a
/// channel. A broken server or connection of another query does not affect it. Its source port is new, which makes it
/// harder to forge an answer. And it uses the present content of /etc/resolv.conf.
///
/// c-ares asks each server in turn and waits `answerTime` for each of them, in the second round twice as long, and
/// again twice as long in each further one: with one server and two tries, 1.5 s and 3 s, with three servers 13.5 s, and
/// that for each search domain. The loop ends the query before that, at `longestQuery`.
@safe
final class NameQuery {
    /// The outcome, once the query has one.
    private(set) var outcome: QueryOutcome?
    private var channel: ares_channel?
    /// The bounds of the channel's sockets, which live as long as the channel.
    private let bounds: UnsafeMutablePointer<cares_bounds>

    init(_ host: String, _ rule: ResolverRule, servers: String?) {
        unsafe bounds = .allocate(capacity: 1)
        unsafe bounds.initialize(
            to: cares_bounds(sockets: rule.socketLimit, bytes: rule.byteLimit, is_out_of_sockets: false)
        )
        let configuration = ResolverConfiguration(file: rule.configurationFile)
        let status = open(configuration, rule, servers: servers)
        guard status == ARES_SUCCESS else {
            outcome = Self.outcome(of: status)
            return
        }
        var hints = ares_addrinfo_hints()
        hints.ai_family = configuration.asksForIPv6 ? AF_UNSPEC : AF_INET
        // The query outlives its channel: its owner ends the query before dropping it.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ares_getaddrinfo(
            channel,
            host,
            nil,
            &hints,
            { context, status, _, answer in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<NameQuery>.fromOpaque(context).takeUnretainedValue().finish(status, answer)
            },
            context,
        )
    }

    deinit {
        assert(unsafe channel == nil, "A query ends before it is dropped.")
        unsafe bounds.deallocate()
    }

    /// Ends the query. A query without an outcome gets one: the addresses that have come, or a timeout.
    func end() {
        guard let channel = unsafe channel else { return }
        unsafe ares_cancel(channel)
        unsafe ares_destroy(channel)
        unsafe self.channel = nil
    }

    /// Creates the channel. Returns a status of c-ares.
    private func open(_ configuration: ResolverConfiguration, _ rule: ResolverRule, servers: String?) -> Int32 {
        var options = unsafe ares_options()
        unsafe options.flags = configuration.usesTCP ? ARES_FLAG_USEVC : 0
        unsafe options.timeout = Int32(clamping: (configuration.answerTime ?? rule.answerTime).milliseconds)
        unsafe options.tries = Int32(clamping: configuration.tries ?? rule.tries)
        let mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_RESOLVCONF
        let status = unsafe rule.configurationFile.withCString { path in
            // c-ares copies the path.
            unsafe options.resolvconf_path = UnsafeMutablePointer(mutating: path)
            return unsafe ares_init_options(&channel, &options, mask)
        }
        guard status == ARES_SUCCESS else { return status }
        unsafe cares_bound(channel, bounds)
        return servers.map { unsafe ares_set_servers_ports_csv(channel, $0) } ?? status
    }

    // MARK: - The loop

    /// Adds the sockets that wait to be read or written.
    func appendSockets(to polled: inout [pollfd]) {
        guard let channel = unsafe channel else { return }
        let limit = Int(ARES_GETSOCK_MAXNUM)
        var sockets = [ares_socket_t](repeating: ARES_SOCKET_BAD, count: limit)
        let bits = unsafe ares_getsock(channel, &sockets, Int32(limit))
        for index in 0..<limit {
            // The macros ARES_GETSOCK_READABLE and ARES_GETSOCK_WRITABLE.
            var events: Int16 = 0
            if bits & 1 << Int32(index) != 0 { events |= Int16(POLLIN) }
            if bits & 1 << Int32(index + limit) != 0 { events |= Int16(POLLOUT) }
            guard events != 0 else { continue }
            polled.append(pollfd(fd: sockets[index], events: events, revents: 0))
        }
    }

    /// The milliseconds until c-ares wants to ask again; `nil` if it waits for nothing.
    var pause: Int32? {
        guard let channel = unsafe channel else { return nil }
        var left = timeval()
        guard unsafe ares_timeout(channel, nil, &left) != nil else { return nil }
        return Int32(clamping: left.tv_sec * 1000 + (left.tv_usec + 999) / 1000)
    }

    /// Lets c-ares read and write the sockets that are ready, and repeat queries that are due.
    func process(_ polled: ArraySlice<pollfd>) {
        guard let channel = unsafe channel else { return }
        for socket in polled where socket.revents != 0 {
            let isBroken = socket.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
            let reads = isBroken || socket.revents & Int16(POLLIN) != 0
            let writes = socket.revents & Int16(POLLOUT) != 0
            unsafe ares_process_fd(channel, reads ? socket.fd : ARES_SOCKET_BAD, writes ? socket.fd : ARES_SOCKET_BAD)
        }
        unsafe ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD)
    }

    // MARK: - The outcome

    private func finish(_ status: Int32, _ answer: UnsafeMutablePointer<ares_addrinfo>?) {
        defer { unsafe ares_freeaddrinfo(answer) }
        guard status == ARES_SUCCESS, let answer = unsafe answer else {
            outcome = unsafe bounds.pointee.is_out_of_sockets ? .unable : Self.outcome(of: status)
            return
        }
        var addresses: [IPAddress] = []
        var life = Int32.max
        var node = unsafe answer.pointee.nodes
        while let present = unsafe node {
            life = unsafe min(life, present.pointee.ai_ttl)
            if let address = unsafe present.pointee.ai_addr.flatMap({ unsafe IPAddress($0) }) {
                addresses.append(address)
            }
            unsafe node = present.pointee.ai_next
        }
        var alias = unsafe answer.pointee.cnames
        while let present = unsafe alias {
            life = unsafe min(life, present.pointee.ttl)
            unsafe alias = present.pointee.next
        }
        outcome = addresses.isEmpty ? .notFound : .found(addresses, life: .seconds(max(0, life)))
    }

    private static func outcome(of status: Int32) -> QueryOutcome {
        switch status {
        // A label of more than 63 bytes is a bad name.
        case ARES_ENODATA, ARES_ENOTFOUND, ARES_EBADNAME: .notFound
        case ARES_ETIMEOUT, ARES_ECANCELLED: .timedOut
        case ARES_ENOMEM, ARES_EFILE: .unable
        default: .failed
        }
    }
}

/// The outcome of a query.
enum QueryOutcome: Equatable, Sendable {
    /// The addresses, best first, and the shortest time to live of the records that led to them.
    case found([IPAddress], life: Duration)
    case notFound
    case timedOut
    /// All servers failed, or no server is configured.
    case failed
    /// This process could not ask: it has no memory or no descriptors. That says nothing about the name.
    case unable

    /// A Boolean value that indicates whether a server has said what the name has. Other outcomes say nothing about that.
    var isDefinite: Bool {
        switch self {
        case .found, .notFound: true
        case .timedOut, .failed, .unable: false
        }
    }

    func answer(_ rule: ResolverRule) -> NameTable.Answer {
        switch self {
        case .found(let addresses, _): .success(Array(addresses.prefix(rule.addressLimit)))
        case .notFound: .failure(.notFound)
        case .timedOut: .failure(.timedOut)
        case .failed, .unable: .failure(.failed)
        }
    }

    /// The time for which the answer is kept.
    func life(_ rule: ResolverRule) -> Duration? {
        switch self {
        case .found(_, let life): min(max(life, rule.addressLife.lowerBound), rule.addressLife.upperBound)
        case .notFound, .failed: rule.failureLife
        case .timedOut: rule.timeoutLife
        case .unable: nil
        }
    }
}

// MARK: - Configuration

/// The options of resolv.conf(5) that glibc knows and c-ares 1.18 does not. c-ares itself reads servers, search domains,
/// `ndots` and `rotate`.
struct ResolverConfiguration: Equatable {
    /// The time for the first answer of a server.
    var answerTime: Duration?
    /// The number of times that each server is asked.
    var tries: Int?
    var usesTCP = false
    var asksForIPv6 = true

    init() {}

    /// Reads the file, and the environment variable that adds to it. A file that is missing has no options.
    init(file: String) {
        if let text = Self.text(at: file) { take(text) }
        if let options = unsafe getenv("RES_OPTIONS") { unsafe take(options: String(cString: options)) }
    }

    mutating func take(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            if words.count == 2, words[0] == "options" { take(options: words[1]) }
        }
    }

    /// Takes options over, with the bounds of resolv.conf(5): at most 30 seconds, and 5 attempts.
    private mutating func take(options: some StringProtocol) {
        for word in options.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: ":", maxSplits: 1)
            let number = parts.count == 2 ? Int(parts[1]) : nil
            switch (parts[0], number) {
            case ("timeout", let seconds?) where seconds > 0: answerTime = .seconds(min(seconds, 30))
            case ("attempts", let count?) where count > 0: tries = min(count, 5)
            case ("use-vc", _): usesTCP = true
            case ("no-aaaa", _): asksForIPv6 = false
            default: break
            }
        }
    }

    /// Returns at most 16 KiB of the file.
    private static func text(at path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var count = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, initialized in
            count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            initialized = max(0, count)
        }
        return count < 0 ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
