import DecoderWire

/// The passage of one clip's packets through its tracks into a file.
struct ClipAssembly {
    let reader: ClipReader
    let muxer: Muxer
    let tracks: [any ClipTrack]

    /// Returns the whole file, or `nil` if it had to stop. Before each packet, asks whether to stop, and whether the
    /// packets so far are enough for a shorter clip.
    func run(
        until mustStop: () -> Bool,
        orShortenedOnce isEnough: () -> Bool = { false },
    ) throws(DecodeError) -> FileInMemory? {
        try muxer.start()
        var index = 0
        while let packet = try reader.packet(at: index), !isEnough() {
            guard !mustStop() else { return nil }
            index += 1
            for track in tracks where track.source == packet.stream { try track.take(packet) }
        }
        for track in tracks {
            try track.finish(until: mustStop)
            guard !mustStop() else { return nil }
        }
        return try muxer.finish()
    }
}
