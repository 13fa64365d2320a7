import CLibav
import DecoderWire

extension MediaStream {
    /// Returns `true` if the audio packet `packet` is part of a clip from `start` on. Decoders need one packet more to
    /// start; uncompressed samples do not.
    func isNeeded(_ packet: Packet, shownAt shown: Int64, from start: Int64) -> Bool {
        let packets: Int64 = codec == AV_CODEC_ID_PCM_S16LE ? 1 : 2
        return shown + packets * max(packet.duration, 1) > start
    }

    /// Returns the number of samples before the clip's start in its first packet.
    func samplesBeforeStart(in reader: ClipReader) throws(DecodeError) -> Int64 {
        let start = units(ofMicroseconds: reader.range.start)
        let sample = unsafe AVRational(num: 1, den: max(1, parameters.pointee.sample_rate))
        var index = 0
        while let packet = try reader.packet(at: index) {
            index += 1
            guard packet.stream == self.index, let shown = packet.presentationTime,
                isNeeded(packet, shownAt: shown, from: start)
            else { continue }
            return max(0, av_rescale_q(start - shown, timeBase, sample))
        }
        return 0
    }
}

extension Packet {
    /// Cuts uncompressed samples exactly to the clip. The times are in units of `stream`.
    func keepSamples(from start: Int64, to end: Int64, of stream: MediaStream) {
        guard let shown = presentationTime else { return }
        let sampleSize = unsafe Int64(stream.parameters.pointee.block_align)
        let rate = unsafe Int64(stream.parameters.pointee.sample_rate)
        // An exact cut is possible only if a unit of time is one sample.
        guard stream.timeBase.num == 1, Int64(stream.timeBase.den) == rate, sampleSize > 0 else { return }
        let count = Int64(byteCount) / sampleSize
        let first = min(count, max(0, start - shown))
        let last = max(first, min(count, end - shown))
        unsafe pointer.pointee.data += Int(first * sampleSize)
        unsafe pointer.pointee.size = Int32((last - first) * sampleSize)
        presentationTime = shown + first
        decodingTime = shown + first
        duration = last - first
    }
}
