extension WorkerMessage: WireMessage {
    package var packet: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .transform(let request, let source, let outputs, let outputCapacity):
            writer.put(UInt8(1))
            writer.put(request)
            writer.put(source)
            writer.put(outputs)
            writer.put(outputCapacity)
        case .have(let range, let size):
            writer.put(UInt8(2))
            writer.put(range)
            writer.put(size)
        case .endsHere(let source):
            writer.put(UInt8(3))
            writer.put(source)
        case .timeWillExpire:
            writer.put(UInt8(4))
        case .proceed:
            writer.put(UInt8(5))
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1:
            self = .transform(
                try reader.conversionRequest(),
                source: try reader.sourceProgress(),
                outputs: try reader.count(),
                outputCapacity: try reader.count(),
            )
        case 2: self = .have(try reader.range(), size: try reader.optionalCount())
        case 3: self = .endsHere(try reader.sourceProgress())
        case 4: self = .timeWillExpire
        case 5: self = .proceed
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}
