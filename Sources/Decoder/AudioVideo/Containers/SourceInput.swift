import CLibav
import DecoderWire
import Glibc
import Media

/// A source's bytes for libav, at any offset. Reading waits for bytes that have not arrived.
///
/// libav reads sequentially unless it must jump. It learns the length of the source only if that is known. A sequential
/// download has a known length only at its end, so libav never jumps to the end of a download in progress.
@safe
final class SourceInput {
    /// The size of the buffer in bytes, large enough to read a clip in few pieces.
    private static let bufferSize: Int32 = 65_536

    private let bytes: any SourceBytes
    private var offset = 0
    /// The context, which this object owns. libav may replace the buffer in it.
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    var isWhole: Bool { bytes.isWhole }
    var isCut: Bool { bytes.isCut }
    var size: Int? { bytes.size }

    init(_ bytes: any SourceBytes) throws(DecodeError) {
        self.bytes = bytes
        unsafe context = nil
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)) else {
            throw DecodeError(.resourceLimit, "no memory for the input buffer")
        }
        // libav uses this object only as long as the context, which this object frees.
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        let start = unsafe buffer.assumingMemoryBound(to: UInt8.self)
        unsafe context = avio_alloc_context(start, Self.bufferSize, 0, user, readSource, nil, seekSource)
        guard unsafe context != nil else {
            unsafe av_free(buffer)
            throw DecodeError(.resourceLimit, "avio_alloc_context")
        }
    }

    deinit {
        guard let context = unsafe context else { return }
        unsafe av_free(context.pointee.buffer)
        unsafe avio_context_free(&self.context)
    }

    /// A Boolean value that indicates whether libav may jump. Otherwise it reads from first to last.
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

// MARK: - Files in memory

/// A file in memory, with a size limit, that libav writes, and reads again to move its index to the front.
@safe
final class FileInMemory: SourceBytes {
    private static let bufferSize: Int32 = 65_536

    private var bytes: [UInt8] = []
    private let byteLimit: Int
    private var offset = 0

    let isWhole = true
    let isCut = false
    let timeWillExpire = false

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    var byteCount: Int { bytes.count }

    /// Returns a context through which libav writes to this file. The caller frees it before this object is released.
    func makeOutputContext() throws(DecodeError) -> UnsafeMutablePointer<AVIOContext> {
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)) else {
            throw DecodeError(.resourceLimit, "no memory for the output buffer")
        }
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        let start = unsafe buffer.assumingMemoryBound(to: UInt8.self)
        let context = unsafe avio_alloc_context(start, Self.bufferSize, 1, user, nil, writeFile, seekFile)
        return try unsafe allocated("avio_alloc_context", context)
    }

    /// The marks by which programs find another format in any place of a file: ZIP (its entries and its ends), PDF, RAR, 7z, PHP
    /// and ISO 9660.
    private static let foreignMarks: [[UInt8]] = [
        Array("PK\u{3}\u{4}".utf8), Array("PK\u{5}\u{6}".utf8), Array("PK\u{6}\u{6}".utf8), Array("%PDF".utf8),
        Array("Rar!".utf8), [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], Array("<?php".utf8), Array("CD001".utf8),
    ]

    /// A Boolean value that indicates whether a program could take the file for another format than its first bytes say.
    ///
    /// Copied pictures and samples can be any bytes. One file in a thousand has such a mark by chance, and is encoded again.
    var hasForeignMark: Bool {
        unsafe bytes.withUnsafeBytes { file in
            Self.foreignMarks.contains { unsafe clibav_contains(file.baseAddress, file.count, $0, $0.count) != 0 }
        }
    }

    /// Replaces the content with the result of `change`.
    func edit(_ change: ([UInt8]) -> [UInt8]) { bytes = change(bytes) }

    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        // `withUnsafeBytes` of an array does not support typed throws.
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Swift.Result { () throws(DecodeError) in try unsafe body(bytes) }
        }
        return try result.get()
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < bytes.count else { return 0 }
        let end = min(bytes.count, offset + buffer.count)
        unsafe buffer.copyBytes(from: bytes[offset..<end])
        return end - offset
    }

    func expect(_ ranges: [Range<Int>]) {}

    func waitForEnd() -> Int { bytes.count }

    var size: Int? { bytes.count }

    fileprivate func write(_ new: UnsafeBufferPointer<UInt8>) -> Int32 {
        let end = offset + new.count
        guard end <= byteLimit else { return clibav_error_from_errno(EFBIG) }
        if offset == bytes.count {
            unsafe bytes.append(contentsOf: new)
            offset = end
            return Int32(new.count)
        }
        if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
        unsafe bytes.withUnsafeMutableBufferPointer { all in
            guard let target = all.baseAddress, let source = new.baseAddress else { return }
            unsafe memcpy(target + offset, source, new.count)
        }
        offset = end
        return Int32(new.count)
    }

    fileprivate func seek(to target: Int64, from whence: Int32) -> Int64 {
        if whence == AVSEEK_SIZE { return Int64(bytes.count) }
        guard whence & ~AVSEEK_FORCE == SEEK_SET, target >= 0, target <= byteLimit else {
            return Int64(clibav_error_from_errno(EINVAL))
        }
        offset = Int(target)
        return target
    }
}

private let writeFile: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
    user,
    buffer,
    count in
    guard let user = unsafe user, let buffer = unsafe buffer, count >= 0 else {
        return clibav_error_from_errno(EINVAL)
    }
    let file = unsafe Unmanaged<FileInMemory>.fromOpaque(user).takeUnretainedValue()
    return unsafe file.write(UnsafeBufferPointer(start: buffer, count: Int(count)))
}

private let seekFile: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = { user, target, whence in
    guard let user = unsafe user else { return Int64(clibav_error_from_errno(EINVAL)) }
    return unsafe Unmanaged<FileInMemory>.fromOpaque(user).takeUnretainedValue().seek(to: target, from: whence)
}
