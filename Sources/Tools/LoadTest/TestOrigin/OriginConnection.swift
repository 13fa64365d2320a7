import Base
import Glibc
import Media
import NIOCore
import NIOHTTP1

/// One connection to the origin, which answers its requests one after the other.
final class OriginConnection {
    /// The most bytes of one write: little is left in the buffers when a connection is reset.
    private static let pieceByteLimit = 65_536
    /// The number of writes a second for a body of limited bandwidth.
    private static let beat = 50

    private let origin: MisbehavingOrigin
    private let channel: any Channel
    private let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var requests: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private let time = SystemTime()

    init(
        origin: MisbehavingOrigin,
        _ channel: any Channel,
        _ requests: NIOAsyncChannelInboundStream<HTTPServerRequestPart>,
        _ writer: NIOAsyncChannelOutboundWriter<ByteBuffer>,
    ) {
        self.origin = origin
        self.channel = channel
        self.requests = requests.makeAsyncIterator()
        self.writer = writer
    }

    func serve() async throws {
        while let part = try await requests.next(isolation: #isolation) {
            // The bodies of requests are ignored.
            guard case .head(let head) = part else { continue }
            while let part = try await requests.next(isolation: #isolation) { if case .end = part { break } }
            guard try await answer(head), head.isKeepAlive else { return }
        }
    }

    /// Answers a request. Returns `true` if the connection stays open.
    private func answer(_ head: HTTPRequestHead) async throws -> Bool {
        let target = head.uri.split(separator: "?", maxSplits: 1)
        let path = Faults.decoded(target.first.map { String($0) } ?? "/")
        let query = target.count == 2 ? String(target[1]) : ""
        let behaviour: Behaviour
        let delay: Duration
        do throws(FaultSyntaxError) {
            (behaviour, delay) = try origin.behaviour(path: path, query: query)
        } catch {
            let body = "\(error)\n"
            let lines =
                "HTTP/1.1 400 Test\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.utf8.count)"
            try await writer.write(ByteBuffer(string: "\(lines)\r\n\r\n\(body)"))
            return true
        }
        if delay > .zero { try await time.sleep(for: delay) }
        if behaviour.reset == 0 { return try await reset() }
        let file = origin.file(at: path)
        let plan = AnswerPlan(
            .init(
                method: head.method.rawValue,
                path: target.first.map { String($0) } ?? "/",
                query: query,
                range: head.headers.first(name: "Range"),
            ),
            file.map { .init(byteCount: $0.byteCount, mimeType: $0.mimeType, tag: $0.tag) },
            behaviour,
        )
        try await writer.write(ByteBuffer(bytes: plan.head))
        let sent = try await send(plan, file, behaviour)
        origin.answered(.init(method: head.method.rawValue, target: head.uri, status: plan.status, sentByteCount: sent))
        guard sent == plan.bodyCount else {
            return behaviour.reset.map { $0 <= sent } == true ? try await reset() : false
        }
        if plan.isChunked { try await writer.write(ByteBuffer(string: "0\r\n\r\n")) }
        return plan.keepsAlive
    }

    /// Sends the body. Returns the number of bytes sent, which is smaller if a fault ends the body.
    private func send(_ plan: AnswerPlan, _ file: OriginFile?, _ behaviour: Behaviour) async throws -> Int {
        let end = min(plan.bodyCount, behaviour.truncation ?? .max, behaviour.reset ?? .max)
        let start = time.now
        var sent = 0
        var stall = behaviour.stall
        while sent < end {
            if let pause = stall, pause.after <= sent {
                stall = nil
                try await hold(for: pause.duration)
            }
            var count = min(end - sent, Self.pieceByteLimit)
            if let drip = behaviour.drip { count = min(count, drip.byteCount) }
            if let rate = behaviour.bytesPerSecond { count = min(count, max(1, rate / Self.beat)) }
            if let stall { count = min(count, stall.after - sent) }
            try await write(plan, file, sent..<sent + count)
            sent += count
            if let drip = behaviour.drip, sent < end { try await time.sleep(for: drip.pause) }
            if let rate = behaviour.bytesPerSecond {
                // Counts from the start, so that the next pause compensates for one that was too long.
                try await time.sleep(until: start + .seconds(clamping: Double(sent) / Double(rate)))
            }
        }
        return sent
    }

    private func write(_ plan: AnswerPlan, _ file: OriginFile?, _ part: Range<Int>) async throws {
        var bytes =
            switch plan.body {
            case .text(let text): Array(text[part])
            case .file(let range):
                file?.read(range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound) ?? []
            }
        if plan.isChunked {
            bytes = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
        }
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    /// Waits for a duration, or until the client has disconnected.
    private func hold(for duration: Duration?) async throws {
        if let duration { return try await time.sleep(for: duration) }
        while try await requests.next(isolation: #isolation) != nil {}
        throw CancellationError()
    }

    /// Resets the connection: closing with a linger time of zero sends RST instead of FIN.
    private func reset() async throws -> Bool {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
        return false
    }
}
