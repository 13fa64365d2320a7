// swift-format-ignore-file: NeverUseForceTry
import DecoderWire
import Media

@testable import Decoding

enum WireTargets {
    /// Checks that a parsed message encodes to the same bytes, in both directions of both protocols.
    static func wire(_ bytes: [UInt8]) {
        if let message = try? DecoderMessage(packet: bytes) { precondition(message.packet == bytes) }
        if let report = try? ZygoteReport(packet: bytes) { precondition(report.packet == bytes) }
        if let command = try? ZygoteCommand(packet: bytes) { precondition(command.packet == bytes) }
        // A set of rungs has no order, so its bytes may differ.
        if let message = try? WorkerMessage(packet: bytes) {
            precondition(try! WorkerMessage(packet: message.packet) == message)
        }
    }

    /// Plays a decoder process that sends anything: each packet follows one byte with the packet's length.
    static func conversation(_ bytes: [UInt8]) {
        let limits = MediaLimits()
        var state = ConversationState(
            source: SourceProgress(present: ByteRanges([0..<100])),
            within: ConversationState.Bounds(outputs: Conversation.outputCount, outputBytes: 1000, limits: limits),
        )
        var outputs: Set<Int> = []
        var hasRung = false
        var rest = bytes[...]
        while let length = rest.popFirst() {
            let packet = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            guard let message = try? DecoderMessage(packet: packet) else { return }
            switch state.receive(message) {
            case .check(let report, let output):
                precondition(outputs.insert(output).inserted && output < Conversation.outputCount)
                precondition((1...1000).contains(report.byteCount))
                hasRung = true
            case .checkThumbnail(let byteCount, let output):
                precondition(outputs.insert(output).inserted && output < Conversation.outputCount)
                precondition((1...1000).contains(byteCount))
            case .await(let range, let ahead):
                precondition(range.upperBound > 100 && !range.isEmpty && ahead <= Int.max - range.upperBound)
            case .finish: precondition(hasRung)
            case .fail, .endForbidden: return
            case .describe(_, let memoryBytes):
                precondition((0...limits.memoryBytes).contains(memoryBytes))
                state.recordMemory()
            case .nothing: break
            }
        }
    }
}
