import DecoderWire
import Testing

@testable import Sandbox

struct PacketSocketTests {
    @Test("a peer's last packet is received, even if the peer left packets of ours unread")
    func unread() throws {
        let ours: PacketSocket
        do {
            let (near, far) = try PacketSocket.pair()
            try near.send(WorkerMessage.timeWillExpire)
            try far.send(DecoderMessage.done)
            ours = near
        }
        let last = try #require(try ours.receive(waits: false))
        #expect(try DecoderMessage(packet: last.bytes) == .done)
        #expect(try ours.receive(waits: false) == nil)
    }
}
