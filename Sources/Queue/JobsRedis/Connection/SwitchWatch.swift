import Base
import Media
import NIOCore
import Synchronization

/// A subscription to new primaries at one of the sentinels, taken again at another one when it ends.
///
/// A dead primary is noticed without it. The watch is for a primary that is cut off and still answers.
final class SwitchWatch: Sendable {
    private let group: SentinelGroup
    private let dialer: RedisDialer
    private let time: any TimeSource
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ group: SentinelGroup, _ dialer: RedisDialer, time: any TimeSource) {
        self.group = group
        self.dialer = dialer
        self.time = time
    }

    deinit { leave() }

    /// Begins to watch. Calls `onSwitch` for each new primary until `leave`.
    func start(onSwitch: @escaping @Sendable (HostAndPort) -> Void) {
        let (group, dialer, time) = (group, dialer, time)
        task.withLock { task in
            task = task ?? Task { await Self.watch(group, dialer, time, onSwitch) }
        }
    }

    func leave() {
        task.withLock { $0 }?.cancel()
    }

    private static func watch(
        _ group: SentinelGroup,
        _ dialer: RedisDialer,
        _ time: any TimeSource,
        _ onSwitch: @escaping @Sendable (HostAndPort) -> Void,
    ) async {
        var backOff = BackOff()
        while true {
            for sentinel in group.addresses {
                let channel = try? await dialer.channel(to: sentinel, within: group.timeLimit) {
                    SwitchHandler(group, onSwitch: onSwitch)
                }
                if let channel {
                    backOff.succeeded()
                    await withTaskCancellationHandler {
                        try? await channel.closeFuture.get()
                    } onCancel: {
                        channel.close(promise: nil)
                    }
                }
                do { try await time.sleep(for: backOff.next()) } catch { return }
            }
        }
    }
}

// MARK: - The channel

/// A channel handler that subscribes to a sentinel's announcements of new primaries. It ends a connection on which
/// nothing arrives, not even the reply to a PING.
final class SwitchHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let channelName = "+switch-master"
    /// The interval of PINGs.
    private static let pause = Duration.seconds(3)

    private let group: SentinelGroup
    private let onSwitch: @Sendable (HostAndPort) -> Void
    private var parser = ReplyParser()
    private var isSilent = false
    private var ping: Scheduled<Void>?

    /// Creates a handler that calls `onSwitch` with the address of each new primary of the group.
    init(_ group: SentinelGroup, onSwitch: @escaping @Sendable (HostAndPort) -> Void) {
        self.group = group
        self.onSwitch = onSwitch
    }

    func channelActive(context: ChannelHandlerContext) {
        for command in [group.login, RedisCommand("SUBSCRIBE", Self.channelName)].compactMap(\.self) {
            context.write(wrapOutboundOut(ByteBuffer(bytes: command.bytes)), promise: nil)
        }
        context.flush()
        expectSignOfLife(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isSilent = false
        parser.feed(unwrapInboundIn(data).readableBytesView)
        do {
            while let reply = try parser.next() {
                if case .error = reply { return context.close(promise: nil) }
                if let server = Self.primary(of: group.name, in: reply) { onSwitch(server) }
            }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ping?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func expectSignOfLife(_ context: ChannelHandlerContext) {
        ping = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(Self.pause)) { [self] in
            guard !isSilent else { return context.close(promise: nil) }
            isSilent = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: RedisCommand("PING").bytes)), promise: nil)
            expectSignOfLife(context)
        }
    }

    /// Returns the new primary in a message: the group's name, the old host and port, the new host and port.
    static func primary(of name: String, in reply: RedisReply) -> HostAndPort? {
        guard let parts = reply.elements, parts.count == 3, parts[0].text == "message", parts[1].text == channelName,
            let words = parts[2].text?.split(separator: " "), words.count == 5, words[0] == name,
            let port = Int(words[4]), (1...65_535).contains(port)
        else { return nil }
        return HostAndPort(host: String(words[3]), port: port)
    }
}
