import CLibav
import DecoderWire
import Glibc
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
