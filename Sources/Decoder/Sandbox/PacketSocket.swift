import CLinux
package import DecoderWire
import Glibc

/// One end of a pair of sockets that carry whole packets, and descriptors with them.
///
/// It keeps the descriptor open for as long as anybody holds the object, so that a number is never another file's by
/// the time it is used.
package final class PacketSocket: Sendable {
    /// One packet. Whoever receives it owns its descriptors.
    package struct Packet: Sendable {
        package var bytes: [UInt8]
        package var descriptors: [Int32]
    }

    package let descriptor: Int32

    /// Takes over `descriptor`, and closes it in the end.
    package init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    package static func pair() throws(SystemError) -> (PacketSocket, PacketSocket) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("socketpair") }
        return (PacketSocket(adopting: ends[0]), PacketSocket(adopting: ends[1]))
    }

    /// Sends without waiting: a full buffer is an error (EAGAIN), since no honest peer lets it fill.
    package func send(_ message: some WireMessage, descriptors: [Int32] = []) throws(SystemError) {
        let packet = message.packet
        guard unsafe clinux_send(descriptor, packet, packet.count, descriptors, descriptors.count) == packet.count
        else {
            throw SystemError("sendmsg")
        }
    }

    /// The next packet, or `nil` when the other end is closed.
    ///
    /// Throws EAGAIN where there is none yet and `waits` is false, EMSGSIZE for a packet that is too long or that
    /// brings more than `descriptorLimit` descriptors. Those are closed.
    package func receive(descriptorLimit: Int = 0, waits: Bool) throws(SystemError) -> Packet? {
        var descriptors = [Int32](repeating: -1, count: descriptorLimit)
        var descriptorCount = descriptorLimit
        var received = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Wire.packetLimit) { buffer, filled in
            unsafe received = clinux_receive(
                descriptor,
                buffer.baseAddress,
                buffer.count,
                &descriptors,
                &descriptorCount,
                waits ? 1 : 0,
            )
            filled = max(0, received)
        }
        if received < 0 {
            // The peer is gone and has left packets of ours unread. Said once, and before what it sent at last.
            if errno == ECONNRESET { return try receive(descriptorLimit: descriptorLimit, waits: waits) }
            throw SystemError("recvmsg")
        }
        return received == 0 ? nil : Packet(bytes: bytes, descriptors: Array(descriptors.prefix(descriptorCount)))
    }
}
