import CLibav
import DecoderWire
import Glibc
import Images
import Media

/// The writer of a clip's file, without metadata, chapters, or names of programs, and with the index at the front.
@safe
final class Muxer {
    let container: Container
    let file: FileInMemory
    private let context: UnsafeMutablePointer<AVFormatContext>
    private var hasHeader = false

    init(_ container: Container, byteLimit: Int) throws(DecodeError) {
        self.container = container
        file = FileInMemory(byteLimit: byteLimit)
        var opened: UnsafeMutablePointer<AVFormatContext>?
        let code = unsafe avformat_alloc_output_context2(&opened, nil, container.muxerName, nil)
        try check("avformat_alloc_output_context2", code)
        unsafe context = try allocated("avformat_alloc_output_context2", opened)
        unsafe context.pointee.pb = try file.makeOutputContext()
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
        // libav opens the file again for reading, to move the index to the front.
        unsafe context.pointee.opaque = Unmanaged.passUnretained(file).toOpaque()
        unsafe context.pointee.io_open = openFileAgain
        unsafe context.pointee.io_close2 = closeFile
    }

    deinit {
        unsafe free(context.pointee.pb)
        unsafe avformat_free_context(context)
    }

    private func free(_ output: UnsafeMutablePointer<AVIOContext>?) {
        _ = unsafe closeFile(context, output)
    }

    /// Adds a stream, which `configure` sets up, and returns its index.
    func addStream(
        _ configure: (UnsafeMutablePointer<AVStream>) throws(DecodeError) -> Void
    ) throws(DecodeError) -> Int {
        let stream = try unsafe allocated("avformat_new_stream", avformat_new_stream(context, nil))
        try unsafe configure(stream)
        // The codec tag belongs to the source's container and is not valid here.
        unsafe stream.pointee.codecpar?.pointee.codec_tag = 0
        return unsafe Int(stream.pointee.index)
    }

    func start() throws(DecodeError) {
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        if container.isMovie { unsafe av_dict_set(&options, "movflags", "faststart", 0) }
        try unsafe check("avformat_write_header", avformat_write_header(context, &options))
        hasHeader = true
    }

    /// Writes a packet. Its times are in units of `timeBase`, from the start of the clip.
    func write(_ packet: Packet, to stream: Int, timeBase: AVRational) throws(DecodeError) {
        guard let output = unsafe context.pointee.streams[stream] else { return }
        unsafe packet.pointer.pointee.stream_index = Int32(stream)
        unsafe packet.pointer.pointee.pos = -1
        unsafe av_packet_rescale_ts(packet.pointer, timeBase, output.pointee.time_base)
        try unsafe check("av_interleaved_write_frame", av_interleaved_write_frame(context, packet.pointer))
    }

    /// Completes the file and returns it.
    func finish() throws(DecodeError) -> FileInMemory {
        try unsafe check("av_write_trailer", av_write_trailer(context))
        unsafe avio_flush(context.pointee.pb)
        try unsafe check("avio_flush", context.pointee.pb.pointee.error)
        return file
    }
}

private let openFileAgain:
    @convention(c) (
        UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
        UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32 = { context, opened, _, flags, _ in
        guard let user = unsafe context?.pointee.opaque, flags & AVIO_FLAG_WRITE == 0 else {
            return clibav_error_from_errno(EACCES)
        }
        let file = unsafe Unmanaged<FileInMemory>.fromOpaque(user).takeUnretainedValue()
        do throws(DecodeError) {
            let input = try SourceInput(file)
            // libav's closing callback releases it.
            unsafe opened?.pointee = Unmanaged.passRetained(input).takeUnretainedValue().context
            return 0
        } catch {
            return clibav_error_from_errno(ENOMEM)
        }
    }

private let closeFile:
    @convention(c) (UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<AVIOContext>?) -> Int32 = { _, file in
        guard let file = unsafe file else { return 0 }
        if unsafe file.pointee.write_flag == 0, let input = unsafe file.pointee.opaque {
            unsafe Unmanaged<SourceInput>.fromOpaque(input).release()
            return 0
        }
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe file
        unsafe av_free(file.pointee.buffer)
        unsafe avio_context_free(&context)
        return 0
    }

// MARK: - Containers

/// The containers in which clips are delivered.
enum Container: CaseIterable {
    case mp4, m4a, wav

    var format: OutputFormat {
        switch self {
        case .mp4: .mp4
        case .m4a: .m4a
        case .wav: .wav
        }
    }

    /// The name of the muxer in libav. `ipod` is MP4 with Apple's brand for sound.
    var muxerName: String {
        switch self {
        case .mp4: "mp4"
        case .m4a: "ipod"
        case .wav: "wav"
        }
    }

    var isMovie: Bool { self == .mp4 || self == .m4a }
}

// MARK: - Edit lists

/// The edit lists of a finished movie: the part of each track that is shown (ISO/IEC 14496-12, 8.6.6).
///
/// libav writes an edit list that hides everything before the start. This type makes the edits shorter, to hide packets
/// that are needed but shown after the end.
struct MovieEdits {
    private var bytes: [UInt8]

    /// Returns `bytes` with each track shown for these times at most, which are in microseconds.
    static func shortened(_ bytes: [UInt8], to durations: [Int64]) -> [UInt8] {
        var movie = MovieEdits(bytes: bytes)
        movie.shorten(to: durations)
        return movie.bytes
    }

    private mutating func shorten(to durations: [Int64]) {
        guard let movie = box("moov", in: 0..<bytes.count),
            let header = box("mvhd", in: movie),
            let units = number(at: header.lowerBound + (isLong(header) ? 20 : 12), byteCount: 4)
        else { return }
        var longest = 0
        let tracks = boxes(in: movie).filter { $0.type == "trak" }.map(\.content.indices)
        for (track, duration) in zip(tracks, durations) {
            guard let edits = box("edts", in: track), let list = box("elst", in: edits),
                let header = box("tkhd", in: track)
            else { continue }
            let duration = shorten(list, to: Int(duration) * units / 1_000_000)
            set(duration, at: header.lowerBound + (isLong(header) ? 28 : 20), isLong: isLong(header))
            longest = max(longest, duration)
        }
        guard longest > 0 else { return }
        set(longest, at: header.lowerBound + (isLong(header) ? 24 : 16), isLong: isLong(header))
    }

    /// Shortens the edits of one track to at most `limit`, and returns their duration.
    private mutating func shorten(_ list: Range<Int>, to limit: Int) -> Int {
        let width = isLong(list) ? 8 : 4
        let count = number(at: list.lowerBound + 4, byteCount: 4) ?? 0
        var total = 0
        for index in 0..<count {
            let entry = list.lowerBound + 8 + index * (2 * width + 4)
            guard entry + width <= list.upperBound, let duration = number(at: entry, byteCount: width) else { break }
            let shortened = min(duration, limit - total)
            set(shortened, at: entry, isLong: isLong(list))
            total += shortened
        }
        return total
    }

    private func boxes(in range: Range<Int>) -> [Box] {
        var reader = BoxReader(bytes[range])
        return Array(sequence(state: ()) { _ in reader.next() })
    }

    private func box(_ type: String, in range: Range<Int>) -> Range<Int>? {
        boxes(in: range).first { $0.type == type }?.content.indices
    }

    /// Returns `true` if a box has 64-bit times, which is its version 1.
    private func isLong(_ box: Range<Int>) -> Bool { !box.isEmpty && bytes[box.lowerBound] == 1 }

    private func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset + byteCount <= bytes.count else { return nil }
        let pattern = bytes[offset..<offset + byteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: pattern)
    }

    private mutating func set(_ number: Int, at offset: Int, isLong: Bool) {
        let byteCount = isLong ? 8 : 4
        guard offset + byteCount <= bytes.count else { return }
        for index in 0..<byteCount {
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * (byteCount - 1 - index)))
        }
    }
}
