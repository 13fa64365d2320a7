package import Base
import CLinux
package import DecoderWire
import Glibc

/// One end of a pair of sockets that carry whole packets with descriptors.
///
/// The object keeps its descriptor open for its own lifetime, so that the number cannot belong to another file when it
/// is used.
package final class PacketSocket: Sendable {
    /// A received packet. The receiver owns its descriptors.
    package struct Packet: Sendable {
        package var bytes: [UInt8]
        package var descriptors: [Int32]
    }

    package let descriptor: Int32

    /// Takes ownership of `descriptor`, and closes it at the end.
    package init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    package static func pair() throws(SystemError) -> (PacketSocket, PacketSocket) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("socketpair") }
        return (PacketSocket(adopting: ends[0]), PacketSocket(adopting: ends[1]))
    }

    /// Sends a message without waiting. A full buffer is an error (EAGAIN), because a correct peer never lets it fill.
    package func send(_ message: some WireMessage, descriptors: [Int32] = []) throws(SystemError) {
        let packet = message.packet
        guard unsafe clinux_send(descriptor, packet, packet.count, descriptors, descriptors.count) == packet.count
        else {
            throw SystemError("sendmsg")
        }
    }

    /// Returns the next packet, or `nil` when the other end is closed.
    ///
    /// Throws EAGAIN if there is none yet and `waits` is false. Throws EMSGSIZE for a packet that is too long or
    /// carries more than `descriptorLimit` descriptors; those are closed.
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
            // The peer has closed with unread packets of ours. The kernel reports that once, before the peer's last
            // packets.
            if errno == ECONNRESET { return try receive(descriptorLimit: descriptorLimit, waits: waits) }
            throw SystemError("recvmsg")
        }
        return received == 0 ? nil : Packet(bytes: bytes, descriptors: Array(descriptors.prefix(descriptorCount)))
    }
}
