import CLibav
import DecoderWire

extension MediaStream {
    /// Returns the frames of sound that comes with headers of its own, and with anything between them; `nil` for other
    /// sound. `source` is the source if it has no container.
    func soundFrames(in source: (any SourceBytes)?) -> SoundFrames? {
        let rate = unsafe Int(parameters.pointee.sample_rate)
        return switch codec {
        case AV_CODEC_ID_MP3: SoundFrames(.mp3, sampleRate: rate, in: source)
        case AV_CODEC_ID_AAC:
            unsafe parameters.pointee.extradata_size == 0
                ? SoundFrames(.adts, sampleRate: rate, in: source) : nil
        default: nil
        }
    }

    /// The number of bytes of the decoder's configuration that belong to it. Containers store more, which stays behind.
    /// Returns `nil` if a copy is not certain to play with it.
    var configurationByteCount: Int? {
        guard codec == AV_CODEC_ID_AAC else { return 0 }
        let stored = unsafe parameters.pointee
        let count = unsafe Int(max(0, stored.extradata_size))
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: stored.extradata, count: count).prefix(5))
        guard !bytes.isEmpty else { return 0 }
        // ISO/IEC 14496-3, 1.6.2.1: object type 2 (AAC LC), one or two channels, and no element for more than that.
        guard bytes.count >= 2, bytes[0] >> 3 == 2, 1...2 ~= bytes[1] >> 3 & 0xF, bytes[1] & 7 == 0 else { return nil }
        // The next bytes may say whether the high frequencies are coded apart (1.6.5.3).
        guard bytes.count >= 5, bytes[2] == 0x56, bytes[3] == 0xE5 else { return 2 }
        return bytes[4] == 0 ? 5 : nil
    }

    /// The size of one uncompressed sample of all channels; `nil` if the container has another one.
    var sampleByteCount: Int? {
        let stored = unsafe parameters.pointee
        let byteCount = unsafe 2 * Int(max(1, stored.ch_layout.nb_channels))
        return unsafe stored.block_align == 0 || Int(stored.block_align) == byteCount ? byteCount : nil
    }

    /// Leaves only those parameters of copied sound that a player needs.
    func strip(_ parameters: inout AVCodecParameters) {
        if configurationByteCount == 0 { unsafe av_freep(&parameters.extradata) }
        unsafe parameters.extradata_size = Int32(clamping: configurationByteCount ?? 0)
        if codec == AV_CODEC_ID_PCM_S16LE { unsafe parameters.block_align = Int32(clamping: sampleByteCount ?? 0) }
    }

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
        let sampleSize = Int64(stream.sampleByteCount ?? 0)
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
