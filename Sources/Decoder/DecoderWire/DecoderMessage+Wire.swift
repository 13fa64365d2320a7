import Media

extension DecoderMessage: WireMessage {
    package var packet: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .ready(let report):
            writer.put(UInt8(1))
            writer.put(report)
        case .need(let range, let ahead):
            writer.put(UInt8(2))
            writer.put(range)
            writer.put(ahead)
        case .source(let report, let memoryBytes):
            writer.put(UInt8(3))
            writer.put(report)
            writer.put(memoryBytes)
        case .rung(let report, let output):
            writer.put(UInt8(4))
            writer.put(report)
            writer.put(output)
        case .done:
            writer.put(UInt8(5))
        case .failed(let reason, let cause):
            writer.put(UInt8(6))
            writer.put(case: reason)
            writer.put(cause != nil)
            if let cause { writer.put(case: cause) }
        case .began:
            writer.put(UInt8(7))
        case .thumbnail(let byteCount, let output):
            writer.put(UInt8(8))
            writer.put(byteCount)
            writer.put(output)
        case .triedForbiddenCall(let number):
            writer.put(UInt8(9))
            writer.put(number)
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = .ready(try reader.sandboxReport())
        case 2: self = .need(try reader.range(), ahead: try reader.count())
        case 3: self = .source(try reader.sourceReport(), memoryBytes: try reader.count())
        case 4: self = .rung(try reader.rungReport(), output: try reader.count())
        case 5: self = .done
        case 6:
            let reason = try reader.case(of: AttachmentFailure.Reason.self)
            self = .failed(reason, try reader.flag() ? reader.case(of: FailureCause.self) : nil)
        case 7: self = .began
        case 8: self = .thumbnail(byteCount: try reader.count(), output: try reader.count())
        case 9: self = .triedForbiddenCall(try reader.count())
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}
