import CLibav
import DecoderWire

extension MediaStream {
    /// The size of one uncompressed sample of all channels; `nil` if the container has another one.
    var sampleByteCount: Int? {
        let stored = unsafe parameters.pointee
        let byteCount = unsafe 2 * Int(max(1, stored.ch_layout.nb_channels))
        return unsafe stored.block_align == 0 || Int(stored.block_align) == byteCount ? byteCount : nil
    }

    /// Leaves only those parameters of copied samples that a player needs.
    func strip(_ parameters: inout AVCodecParameters) {
        unsafe av_freep(&parameters.extradata)
        unsafe parameters.extradata_size = 0
        unsafe parameters.block_align = Int32(clamping: sampleByteCount ?? 0)
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
