extension WorkerMessage: WireMessage {
    package var packet: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .transform(let request, let source, let outputs, let outputCapacity):
            writer.put(UInt8(1))
            writer.put(request)
            writer.put(source.byteCount)
            writer.put(source.isEnded)
            writer.put(source.isCut)
            writer.put(outputs)
            writer.put(outputCapacity)
        case .have(let byteCount):
            writer.put(UInt8(2))
            writer.put(byteCount)
        case .endsHere(let byteCount, let isWhole):
            writer.put(UInt8(3))
            writer.put(byteCount)
            writer.put(isWhole)
        case .timeWillExpire:
            writer.put(UInt8(4))
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1:
            self = .transform(
                try reader.conversionRequest(),
                source: SourceProgress(
                    byteCount: try reader.count(),
                    isEnded: try reader.flag(),
                    isCut: try reader.flag(),
                ),
                outputs: try reader.count(),
                outputCapacity: try reader.count(),
            )
        case 2: self = .have(byteCount: try reader.count())
        case 3: self = .endsHere(byteCount: try reader.count(), isWhole: try reader.flag())
        case 4: self = .timeWillExpire
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}
