import CLibav
import DecoderWire
import Glibc
import Media

/// A source's bytes as libav reads them: anywhere, and waiting for those that are still on their way.
///
/// libav reads on from where it is unless it must jump. It is told the length of the source where that is known: of a
/// download in order only once all of it is there, so nothing is looked for at the end of one that is still running.
@safe
final class SourceInput {
    /// Large enough that a clip is read in few pieces.
    private static let bufferSize: Int32 = 65_536

    private let bytes: any SourceBytes
    private var offset = 0
    /// Owned by this object; libav may replace the buffer inside.
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    init(_ bytes: any SourceBytes) throws(DecodeFailure) {
        self.bytes = bytes
        unsafe context = nil
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)) else {
            throw DecodeFailure(.resourceLimit, "no memory for the input buffer")
        }
        // libav holds this object no longer than the context, which ends with it.
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        let start = unsafe buffer.assumingMemoryBound(to: UInt8.self)
        unsafe context = avio_alloc_context(start, Self.bufferSize, 0, user, readSource, nil, seekSource)
        guard unsafe context != nil else {
            unsafe av_free(buffer)
            throw DecodeFailure(.resourceLimit, "avio_alloc_context")
        }
    }

    deinit {
        guard let context = unsafe context else { return }
        unsafe av_free(context.pointee.buffer)
        unsafe avio_context_free(&self.context)
    }

    /// Whether libav may jump. It reads from first to last otherwise.
    var isSeekable: Bool {
        get { unsafe context?.pointee.seekable != 0 }
        set { unsafe context?.pointee.seekable = newValue ? AVIO_SEEKABLE_NORMAL : 0 }
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        let count = unsafe bytes.read(at: offset, into: buffer)
        guard count > 0 else { return LibavResult.end }
        offset += count
        return Int32(count)
    }

    fileprivate func seek(to target: Int64, from whence: Int32) -> Int64 {
        if whence == AVSEEK_SIZE {
            return bytes.size.map(Int64.init) ?? Int64(clibav_error_from_errno(ENOSYS))
        }
        guard whence & ~AVSEEK_FORCE == SEEK_SET, target >= 0, let target = Int(exactly: target) else {
            return Int64(clibav_error_from_errno(EINVAL))
        }
        offset = target
        return Int64(target)
    }
}

private let readSource: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
    user,
    buffer,
    count in
    guard let user = unsafe user, let buffer = unsafe buffer, count > 0 else { return clibav_error_from_errno(EINVAL) }
    let input = unsafe Unmanaged<SourceInput>.fromOpaque(user).takeUnretainedValue()
    return unsafe input.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
}

private let seekSource: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = { user, target, whence in
    guard let user = unsafe user else { return Int64(clibav_error_from_errno(EINVAL)) }
    return unsafe Unmanaged<SourceInput>.fromOpaque(user).takeUnretainedValue().seek(to: target, from: whence)
}
