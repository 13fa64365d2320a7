import DecoderWire

/// Leads the packets of one clip through its tracks into a file.
struct ClipAssembly {
    let reader: ClipReader
    let muxer: Muxer
    let tracks: [any ClipTrack]

    /// The whole file, or `nil` if it had to stop: that is asked before each packet.
    func run(until mustStop: () -> Bool) throws(DecodeFailure) -> FileInMemory? {
        try muxer.start()
        var index = 0
        while let packet = try reader.packet(at: index) {
            guard !mustStop() else { return nil }
            index += 1
            for track in tracks where track.source == packet.stream { try track.take(packet) }
        }
        for track in tracks {
            guard !mustStop() else { return nil }
            try track.finish()
        }
        return try muxer.finish()
    }
}
