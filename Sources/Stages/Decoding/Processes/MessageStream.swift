import DecoderWire
import Glibc
import Sandbox
import Values

/// The error that a peer does not keep to the protocol.
struct PeerError: Error {}

/// The messages that one peer sends on its socket.
struct MessageStream<Message: WireMessage>: Sendable {
    struct Received: Sendable {
        var message: Message
        /// The descriptors that came with the message. The receiver closes them.
        var descriptors: [Int32]
    }

    let socket: PacketSocket
    let watcher: any Readiness

    /// Returns the next message, or `nil` once the peer is gone or the task is cancelled.
    ///
    /// Throws for a packet that is not a message, or that brings more descriptors than `descriptorLimit`.
    func next(descriptorLimit: Int = 0) async throws(PeerError) -> Received? {
        while !Task.isCancelled {
            switch Result(catching: { () throws(SystemError) in
                try socket.receive(descriptorLimit: descriptorLimit, waits: false)
            }) {
            case .success(let packet?): return try Self.message(in: packet)
            case .success(nil): return nil
            case .failure(let error) where error.code == EAGAIN: await watcher.waitUntilReadable(socket.descriptor)
            case .failure: throw PeerError()
            }
        }
        return nil
    }

    private static func message(in packet: PacketSocket.Packet) throws(PeerError) -> Received {
        do throws(WireError) {
            return Received(message: try Message(packet: packet.bytes), descriptors: packet.descriptors)
        } catch {
            for descriptor in packet.descriptors { close(descriptor) }
            throw PeerError()
        }
    }
}
