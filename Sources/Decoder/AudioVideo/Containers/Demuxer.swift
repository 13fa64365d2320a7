import Base
import CLibav
import DecoderWire
import Media

/// An open container: its streams, and their packets in the order of the file.
@safe
final class Demuxer {
    private static let options: [(String, String)] = [
        ("protocol_whitelist", ""),
        ("format_whitelist", DemuxerChoice.allNames.map { whitelisted[$0] ?? $0 }.joined(separator: ",")),
        ("probesize", "2000000"),
        ("analyzeduration", "3000000"),
        ("max_streams", "32"),
        // An option of the mov demuxer only: chapters would be one more stream to read.
        ("ignore_chapters", "1"),
    ]
    /// The names in the form that libav compares: some of its demuxers have a list as their name.
    private static let whitelisted = ["mov": "mov,mp4,m4a,3gp,3g2,mj2", "matroska": "matroska,webm"]
    /// The longest duration that is believed, in microseconds: no real source is longer.
    private static let longestDuration: Int64 = 24 * 3600 * 1_000_000

    private let input: SourceInput
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let disabled: DisabledFormats
    private(set) var streams: [MediaStream] = []
    /// The clock of an MPEG stream; `nil` where the container's times are continuous by themselves.
    private var clock: StreamClock?
    private let isMovie: Bool
    private let isFLAC: Bool
    private let isAVI: Bool
    private let source: any SourceBytes
    /// The time at which the next frame begins of FLAC that began at one.
    private var nextTime: Int64?
    /// The offset of the end of a Matroska or AVI source, as it says itself.
    private let segmentEnd: Int?

    /// Opens a source without looking at its streams' packets.
    ///
    /// With `usesIndex`, jumps to an index at the end of the source. That is worthwhile only for a clip that does not
    /// start at the beginning.
    ///
    /// Decoders of `disabled` codecs are never opened, not even to analyse a stream.
    init(
        _ bytes: any SourceBytes,
        _ format: MediaFormat,
        usesIndex: Bool,
        without disabled: DisabledFormats,
    ) throws(DecodeError) {
        self.disabled = disabled
        var start: [UInt8] = [0, 0, 0, 0]
        let count = unsafe start.withUnsafeMutableBytes { unsafe bytes.readFully(at: 0, into: $0) }
        guard count > 0 else { throw DecodeError(.empty, "the source has no bytes") }
        guard let name = DemuxerChoice(format, start: start)?.name, let demuxer = unsafe av_find_input_format(name)
        else { throw DecodeError(.unsupportedFormat, "\(format.rawValue) has no demuxer") }

        isMovie = name == "mov"
        isFLAC = name == "flac"
        isAVI = name == "avi"
        source = bytes
        segmentEnd = name == "matroska" ? MatroskaSegment.end(in: bytes) : name == "avi" ? Self.riffEnd(in: bytes) : nil
        clock = name == "mpegts" || name == "mpeg" ? StreamClock() : nil
        if isMovie, !bytes.isWhole { bytes.expect(MovieIndex.range(in: bytes).map { [$0] } ?? []) }
        input = try SourceInput(bytes)
        // Only the index of a movie, and of Apple's sound, is needed before anything can be shown. Other demuxers would jump to
        // an optional index, and to the end for tags: not in a download under way.
        let isStreamed = !bytes.isWhole && !usesIndex
        if isStreamed, !isMovie, name != "caf" { input.isSeekable = false }
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        for (key, value) in Self.options { unsafe av_dict_set(&options, key, value, 0) }
        unsafe av_dict_set(&options, "codec_whitelist", CodecAllowList.commaSeparated(without: disabled), 0)
        var opened = unsafe avformat_alloc_context()
        guard let context = unsafe opened else { throw DecodeError(.resourceLimit, "avformat_alloc_context") }
        unsafe self.context = context
        unsafe context.pointee.pb = input.context
        // libav looks for a movie's index in any case. With this flag, it does not look for more behind the index.
        let ignoresMore = isStreamed || (isMovie && !bytes.isWhole)
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | (ignoresMore ? AVFMT_FLAG_IGNIDX : 0)
        let code = unsafe avformat_open_input(&opened, "", demuxer, &options)
        // On failure, libav has already freed the context.
        isOpen = code >= 0
        try check("avformat_open_input", code)
        try readStreams()
    }

    private let isOpen: Bool

    deinit {
        guard isOpen else { return }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// Decodes the beginning of each stream to find properties that the container does not give.
    func analyse(_ limits: MediaLimits) throws(DecodeError) {
        for index in 0..<streamCount {
            guard let stream = unsafe context.pointee.streams[index] else { continue }
            // A transport stream may tell the kind of a stream only behind its first packets.
            guard unsafe stream.pointee.codecpar.pointee.codec_type != AVMEDIA_TYPE_UNKNOWN else { continue }
            let known = unsafe MediaStream(stream, in: context)
            if known.map({ CodecAllowList.refuses($0.codec, disabled) }) ?? true {
                unsafe stream.pointee.discard = AVDISCARD_ALL
            }
        }
        var options = unsafe [OpaquePointer?](repeating: nil, count: streamCount)
        defer {
            for index in unsafe options.indices { unsafe av_dict_free(&options[index]) }
        }
        for index in unsafe options.indices {
            unsafe av_dict_set(&options[index], "max_pixels", "\(limits.framePixels)", 0)
        }
        try unsafe check("avformat_find_stream_info", avformat_find_stream_info(context, &options))
        try readStreams()
    }

    /// The time at which the first stream begins, in microseconds on the source's clock. Times before zero belong to
    /// data that decoders need first and do not show, except on the clock of an MPEG stream: one that is about to wrap
    /// counts up to zero.
    var startTime: Int64 {
        // Captions and tags of a transport stream may come long before its pictures and sound.
        let first = clock == nil ? nil : streams.compactMap(\.startTime).min()
        let time = unsafe first ?? context.pointee.start_time
        return time == clibav_no_time ? 0 : clock == nil ? max(0, time) : time
    }

    /// A Boolean value that indicates whether every byte of the source is there already.
    var hasWholeSource: Bool { input.isWhole }

    /// The duration in microseconds, if known.
    var duration: Int64? {
        let duration = unsafe context.pointee.duration
        return duration > 0 && duration < Self.longestDuration ? duration : nil
    }

    /// The end that the container states, in microseconds on the source's clock; `nil` if it was estimated.
    ///
    /// Of a movie, the tracks count: the duration in its header may be any. A live camera's clock does not begin at zero.
    var declaredEnd: Int64? {
        guard unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM, !lacksFragments else {
            return nil
        }
        return isMovie ? streams.compactMap(\.duration).filter { $0 < Self.longestDuration }.max() : duration
    }

    /// The duration in microseconds that the container states; `nil` if it was estimated.
    var declaredDuration: Int64? { declaredEnd.map { $0 - startTime }.flatMap { $0 > 0 ? $0 : nil } }

    /// A Boolean value that indicates whether each packet says how long it lasts.
    var hasDurations: Bool { isMovie }

    /// A Boolean value that indicates whether the source ended before its last byte. It is known at the end of the source.
    var isCut: Bool { input.isCut || lacksFragments || (input.size ?? .max) < segmentEnd ?? 0 }

    /// A Boolean value that indicates whether the source is cut, and libav takes the time of what is there for all of it.
    private var lacksFragments: Bool {
        guard isMovie else { return isAVI && (input.size ?? .max) < segmentEnd ?? 0 }
        guard input.isWhole else { return false }
        let lacks = knownToLack ?? MovieIndex.lacksFragments(source)
        knownToLack = lacks
        return lacks
    }

    /// The answer for a whole movie: a long one in fragments has thousands of boxes.
    private var knownToLack: Bool?

    /// Returns the end of a RIFF file's first chunk, which is all of it up to a gigabyte.
    private static func riffEnd(in bytes: any SourceBytes) -> Int? {
        bytes.bytes(at: 4, count: 4).map { 8 + $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The types of a movie's samples that are encrypted: those of ISO/IEC 14496-12, 8.12, and of Apple's stores.
    private static let encryptedTypes = ["encv", "enca", "drmi", "drms"].map { type in
        type.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A Boolean value that indicates whether the container says that one of its streams is encrypted. Movies with the
    /// common scheme (ISO/IEC 23001-7) say it of each packet instead.
    var hasEncryptedStream: Bool {
        (0..<streamCount).contains { index in
            guard let stream = unsafe context.pointee.streams[index] else { return false }
            // Matroska's key becomes a tag.
            return unsafe av_dict_get(stream.pointee.metadata, "enc_key_id", nil, 0) != nil
                || Self.encryptedTypes.contains(stream.pointee.codecpar.pointee.codec_tag)
        }
    }

    /// A Boolean value that indicates whether the source has moving pictures whose codec is not decoded. Covers of
    /// albums do not count, nor do the PNGs of a podcast's chapters.
    var hasUndecodedVideo: Bool {
        (0..<streamCount).contains { index in
            guard let stream = unsafe context.pointee.streams[index] else { return false }
            let parameters = unsafe stream.pointee.codecpar.pointee
            return unsafe parameters.codec_type == AVMEDIA_TYPE_VIDEO
                && stream.pointee.disposition & MediaStream.covers == 0
                && parameters.codec_id != AV_CODEC_ID_PNG && parameters.width > 0
                && CodecAllowList.decoderName(for: parameters.codec_id) == nil
        }
    }

    /// A Boolean value that indicates whether the source has sound whose codec is not decoded. A movie's track may be empty.
    var hasUndecodedSound: Bool {
        (0..<streamCount).contains { index in
            guard let stream = unsafe context.pointee.streams[index] else { return false }
            let parameters = unsafe stream.pointee.codecpar.pointee
            return unsafe parameters.codec_type == AVMEDIA_TYPE_AUDIO
                && CodecAllowList.decoderName(for: parameters.codec_id) == nil
                && (!isMovie || avformat_index_get_entries_count(stream) > 0)
        }
    }

    /// Stops reading packets of all other streams.
    func keep(_ kept: [MediaStream]) {
        for index in 0..<streamCount where !kept.contains(where: { $0.index == index }) {
            unsafe context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
    }

    /// The rate of FLAC that begins at a frame: libav counts its times in samples, whatever the stream's unit is. Otherwise `nil`.
    private var sampleClock: AVRational? {
        guard isFLAC, let stream = streams.first, stream.timeBase.den == 90_000 else { return nil }
        return unsafe AVRational(num: 1, den: max(1, stream.parameters.pointee.sample_rate))
    }

    /// Seeks to the last key frame of `stream` at or before `time`, in microseconds.
    func seek(to time: Int64, of stream: MediaStream) throws(DecodeError) {
        let microsecond = AVRational(num: 1, den: AV_TIME_BASE)
        let target = av_rescale_q(time, microsecond, sampleClock ?? stream.timeBase)
        if clock != nil { clock = StreamClock() }
        nextTime = nil
        let code = unsafe avformat_seek_file(context, Int32(stream.index), Int64.min, target, target, 0)
        try check("avformat_seek_file", code)
    }

    /// Returns the next packet; `nil` at the end of the source.
    func nextPacket() throws(DecodeError) -> Packet? {
        let packet = try Packet.make()
        let code = unsafe av_read_frame(context, packet.pointer)
        guard code >= 0 else {
            if code == LibavResult.end { return nil }
            throw DecodeError("av_read_frame", code: code)
        }
        guard !packet.isEncrypted else { throw DecodeError.encrypted }
        if clock != nil, let stream = unsafe context.pointee.streams[packet.stream] {
            unsafe clock?.correct(packet, stream.pointee.time_base)
        }
        if let sampleClock, let stream = streams.first {
            // Of the last frame, which is short, it counts too few.
            let time = nextTime ?? packet.presentationTime.map { av_rescale_q($0, sampleClock, stream.timeBase) }
            (packet.presentationTime, packet.decodingTime) = (time, time)
            nextTime = time.map { $0.addingClamped(packet.duration) }
        }
        return packet
    }

    private var streamCount: Int { unsafe Int(context.pointee.nb_streams) }

    private func readStreams() throws(DecodeError) {
        streams = (0..<streamCount).compactMap { index in
            unsafe context.pointee.streams[index].flatMap { unsafe MediaStream($0, in: context) }
        }
    }
}

// MARK: - Matroska

/// The element that holds all of a Matroska source (RFC 9559 §5.1).
private enum MatroskaSegment {
    /// The bytes in which the element begins: before it is only the header, which is about 40 bytes long.
    private static let headByteCount = 128

    /// Returns the offset of its end; `nil` if the source does not say it, as in a live stream.
    static func end(in bytes: any SourceBytes) -> Int? {
        var head = [UInt8](repeating: 0, count: headByteCount)
        let count = unsafe head.withUnsafeMutableBytes { unsafe bytes.readFully(at: 0, into: $0) }
        head.removeLast(headByteCount - count)
        guard head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]), let header = element(at: 4, in: head),
            head.dropFirst(header).starts(with: [0x18, 0x53, 0x80, 0x67])
        else { return nil }
        return element(at: header + 4, in: head)
    }

    /// Returns the end of the element whose size is at `offset` (RFC 8794 §4); `nil` if its size is unknown.
    private static func element(at offset: Int, in head: [UInt8]) -> Int? {
        guard offset < head.count else { return nil }
        let length = head[offset].leadingZeroBitCount + 1
        guard length <= 8, offset + length <= head.count else { return nil }
        let mask = UInt64.max >> (64 - 7 * length)
        let size = head[offset..<offset + length].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & mask
        return size == mask ? nil : SafeSize.sum(offset + length, Int(clamping: size))
    }
}

// MARK: - Choice

/// The libav demuxer for a source, chosen from the detected format, so that libav never probes.
struct DemuxerChoice {
    let name: String

    static let allNames = [
        "mov", "matroska", "avi", "mpeg", "mpegvideo", "mpegts", "mp3", "aac", "wav", "aiff", "flac", "ogg",
        "caf", "amr",
    ]

    /// Chooses a demuxer. `start` is the first four bytes of the source: MPEG video also comes without a container.
    init?(_ format: MediaFormat, start: [UInt8]) {
        switch format {
        case .mp4, .m4v, .quickTime, .threeGPP, .m4a: name = "mov"
        case .webm, .matroska: name = "matroska"
        case .avi: name = "avi"
        case .mpegProgramStream: name = start == [0, 0, 1, 0xB3] ? "mpegvideo" : "mpeg"
        case .mpegTransportStream: name = "mpegts"
        case .mp3: name = "mp3"
        case .aac: name = "aac"
        case .wav: name = "wav"
        case .aiff: name = "aiff"
        case .flac: name = "flac"
        case .ogg: name = "ogg"
        case .caf: name = "caf"
        case .amr: name = "amr"
        case .jpeg, .png, .gif, .webp, .heic, .avif, .tiff: return nil
        }
    }
}
