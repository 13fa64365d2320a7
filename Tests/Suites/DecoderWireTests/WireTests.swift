import Base
import DecoderWire
import Media
import Support
import Testing

@Suite struct WireTests {
    @Test("a message of the worker arrives as it was sent", arguments: Samples.workerMessages)
    func worker(message: WorkerMessage) throws {
        #expect(try WorkerMessage(packet: message.packet) == message)
    }

    @Test(
        "the sample of a request has no rule with its default value: a new rule that the wire leaves out would be lost"
    )
    func noDefaults() throws {
        guard case .transform(let request, _, _, _) = try #require(Samples.workerMessages.first) else {
            Issue.record("the first sample is not a request")
            return
        }
        let defaults = Mirror(reflecting: ImageRules(longEdge: 0, byteBudget: 0, byteLimit: 0))
        for (rule, other) in zip(Mirror(reflecting: request.image).children, defaults.children) {
            #expect(
                "\(rule.value)" != "\(other.value)",
                "\(rule.label ?? "a rule") has its default value in Samples.swift"
            )
        }
    }

    @Test("a message of a decoder process arrives as it was sent", arguments: Samples.decoderMessages)
    func decoder(message: DecoderMessage) throws {
        #expect(try DecoderMessage(packet: message.packet) == message)
    }

    @Test("messages between the worker and the zygote arrive as they were sent")
    func zygote() throws {
        for command in Samples.zygoteCommands { #expect(try ZygoteCommand(packet: command.packet) == command) }
        for report in Samples.zygoteReports { #expect(try ZygoteReport(packet: report.packet) == report) }
    }

    @Test("every message fits into one packet")
    func size() {
        let sizes =
            Samples.workerMessages.map(\.packet.count) + Samples.decoderMessages.map(\.packet.count)
            + [DecoderMessage.ready(Samples.longestReport).packet.count]
        #expect(sizes.allSatisfy { $0 <= Wire.packetLimit })
    }

    @Test("a truncated packet is not a message", arguments: Samples.decoderMessages)
    func truncated(message: DecoderMessage) {
        for count in 0..<message.packet.count {
            #expect(throws: WireError.truncated) { try DecoderMessage(packet: Array(message.packet.prefix(count))) }
        }
    }

    @Test("a packet with bytes after its message is not a message", arguments: Samples.decoderMessages)
    func trailing(message: DecoderMessage) {
        #expect(throws: WireError.trailingBytes) { try DecoderMessage(packet: message.packet + [0]) }
    }

    @Test("negative numbers, unknown cases and messages, and texts of several lines are refused")
    func invalid() {
        let minusOne = [UInt8](repeating: 0xFF, count: 8)
        #expect(throws: WireError.invalidValue) { try DecoderMessage(packet: [2] + minusOne) }
        #expect(throws: WireError.unknownCase(0)) { try DecoderMessage(packet: [0]) }
        #expect(throws: WireError.unknownCase(200)) { try DecoderMessage(packet: [6, 200]) }
        #expect(throws: WireError.invalidValue) { try DecoderMessage(packet: [3, 2, 0, 0, 0]) }
        #expect(throws: WireError.invalidValue) {
            try DecoderMessage(packet: [1, 2, 1, 0x0A] + .init(repeating: 0, count: 8))
        }
        #expect(throws: WireError.invalidValue) {
            try DecoderMessage(packet: [1, 2, 255] + .init(repeating: 65, count: 300))
        }
    }

    @Test("garbage is refused, or becomes a message that encodes again")
    func garbage() throws {
        var random = SplitMix(seed: 20)
        for _ in 0..<20_000 {
            var packet = (Samples.decoderMessages.randomElement(using: &random) ?? .done).packet
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                packet[Int.random(in: packet.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if let message = try? DecoderMessage(packet: packet) { #expect(message.packet == packet) }
        }
    }
}
