import Base
import CLibav
import DecoderWire
import Glibc
import Media

/// A stream of a container, as the container describes it.
@safe
struct MediaStream {
    enum Kind { case video, audio }

    /// The dispositions of pictures that stand for the source.
    static let covers = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS

    let index: Int
    let kind: Kind
    let timeBase: AVRational
    /// The size as stored, before orientation and pixel aspect ratio are applied.
    let storedSize: PixelSize
    /// A Boolean value that indicates whether the container says how large the pictures are.
    let hasSize: Bool
    let pixelRatio: PixelRatio
    let orientation: Orientation
    /// The number of frames a second; 0 if unknown.
    let frameRate: Double
    /// The number of bits a second; 0 if unknown.
    let bitRate: Int64
    let isDefault: Bool
    /// The parameters in libav's memory. They live as long as the demuxer.
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    /// The stream in libav's memory, with the same lifetime.
    private let stream: UnsafeMutablePointer<AVStream>

    /// Returns `nil` for streams that are not decoded: subtitles, data, cover art, and codecs that are not on the list.
    init?(_ stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>) {
        guard let parameters = unsafe stream.pointee.codecpar else { return nil }
        switch unsafe parameters.pointee.codec_type {
        case AVMEDIA_TYPE_VIDEO: kind = .video
        case AVMEDIA_TYPE_AUDIO: kind = .audio
        default: return nil
        }
        guard unsafe stream.pointee.disposition & Self.covers == 0,
            unsafe CodecAllowList.decoderName(for: parameters.pointee.codec_id) != nil
        else { return nil }
        unsafe self.parameters = parameters
        unsafe self.stream = stream
        index = unsafe Int(stream.pointee.index)
        timeBase = unsafe stream.pointee.time_base
        hasSize = unsafe parameters.pointee.width > 0 && parameters.pointee.height > 0
        storedSize = unsafe PixelSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        pixelRatio = unsafe PixelRatio(av_guess_sample_aspect_ratio(context, stream, nil))
        orientation = unsafe Self.orientation(of: stream)
        let rate = unsafe av_guess_frame_rate(context, stream, nil)
        frameRate = rate.num > 0 && rate.den > 0 ? Double(rate.num) / Double(rate.den) : 0
        bitRate = unsafe parameters.pointee.bit_rate
        isDefault = unsafe stream.pointee.disposition & AV_DISPOSITION_DEFAULT != 0
    }

    /// The codec as far as it is known: libav takes MPEG sound in a transport stream for layer III until it has read some of
    /// it.
    var codec: AVCodecID { unsafe parameters.pointee.codec_id }

    /// The size as displayed.
    var displaySize: PixelSize { displaySize(of: storedSize) }

    /// Returns the size as displayed of a picture of this size.
    func displaySize(of picture: PixelSize) -> PixelSize {
        let size = picture.withSquarePixels(pixelRatio)
        return orientation.isTransposed ? size.transposed : size
    }

    /// The time of its first packet, in microseconds, if known.
    var startTime: Int64? {
        let time = unsafe stream.pointee.start_time
        return time == clibav_no_time ? nil : microseconds(time)
    }

    /// The duration that the container states for it, in microseconds.
    var duration: Int64? {
        let duration = unsafe stream.pointee.duration
        return duration == clibav_no_time || duration <= 0 ? nil : microseconds(duration)
    }

    /// The number of packets or key frames in the container's index.
    var indexEntryCount: Int { unsafe Int(avformat_index_get_entries_count(stream)) }

    func indexEntry(_ number: Int) -> AVIndexEntry? {
        unsafe avformat_index_get_entry(stream, Int32(clamping: number))?.pointee
    }

    /// A Boolean value that indicates whether the colors are those of Dolby Vision without a base that others can show: in IPT,
    /// and of a shape that only its metadata tell. Profile 5 has no such base, nor have 10 and 20 where they name none.
    var isDolbyVisionOnly: Bool {
        var size = 0
        guard let data = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DOVI_CONF, &size),
            size >= MemoryLayout<AVDOVIDecoderConfigurationRecord>.size
        else { return false }
        let record = unsafe UnsafeRawPointer(data).loadUnaligned(as: AVDOVIDecoderConfigurationRecord.self)
        let isWithoutBase = record.dv_bl_signal_compatibility_id == 0
        return record.dv_profile == 5 || [10, 20].contains(record.dv_profile) && isWithoutBase
    }

    /// Returns what the container says of the stream under a name.
    func tag(_ name: String) -> String? {
        unsafe av_dict_get(stream.pointee.metadata, name, nil, 0).map { unsafe String(cString: $0.pointee.value) }
    }

    func microseconds(_ time: Int64) -> Int64 { av_rescale_q(time, timeBase, AVRational(num: 1, den: AV_TIME_BASE)) }

    func units(ofMicroseconds time: Int64) -> Int64 {
        av_rescale_q(time, AVRational(num: 1, den: AV_TIME_BASE), timeBase)
    }

    private static func orientation(of stream: UnsafeMutablePointer<AVStream>) -> Orientation {
        var size = 0
        guard let data = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else {
            return .upright
        }
        let matrix = unsafe data.withMemoryRebound(to: Int32.self, capacity: 9) { numbers in
            unsafe [Int32](UnsafeBufferPointer(start: numbers, count: 9))
        }
        return Orientation(displayMatrix: matrix)
    }
}

extension MediaStream {
    /// Sets the shape of the pixels of a copied picture. The size in the track's header and the box `pasp` follow it.
    func copyPixelRatio(to output: UnsafeMutablePointer<AVStream>) {
        unsafe output.pointee.sample_aspect_ratio = pixelRatio.rational
        unsafe output.pointee.codecpar.pointee.sample_aspect_ratio = pixelRatio.rational
    }

    /// Copies the display matrix, which tells players how to turn a copied picture.
    func copyDisplayMatrix(to output: UnsafeMutablePointer<AVStream>) throws(DecodeError) {
        guard orientation != .upright else { return }
        var matrix = orientation.displayMatrix
        guard let data = unsafe av_stream_new_side_data(output, AV_PKT_DATA_DISPLAYMATRIX, 36) else {
            throw DecodeError(.resourceLimit, "av_stream_new_side_data")
        }
        unsafe memcpy(data, &matrix, 36)
    }
}
