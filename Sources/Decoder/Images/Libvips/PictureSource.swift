import CVips
import CVipsShim
import DecoderWire
import Glibc
import Media

/// A source's bytes for libvips, which reads them once from the start. It records what libvips has seen.
final class PictureSource {
    /// The order in which a loader reads.
    enum Access {
        /// In order, as the bytes arrive. The picture is decoded while it is downloaded.
        case stream
        /// In any order. libvips asks for the length first, which waits for the end of the source.
        case random
    }

    /// The length that a stream claims to have. libvips 8.14 asks for it before it reads, and its assertions fail on
    /// short sources without a length. Streamed formats do not use it.
    private static let streamLength = 1 << 40
    /// The end of a JPEG: ITU-T T.81, annex B, EOI.
    private static let marker: [UInt8] = [0xFF, 0xD9]

    private let bytes: any SourceBytes
    private let access: Access
    private let addsMarker: Bool
    private var offset = 0
    private var scans: ScanCounter?
    /// The number of bytes that were missing from libvips' last successful read.
    private var shortfall = 0
    /// A Boolean value that indicates whether a decoder needed bytes beyond the last one.
    private(set) var ranOut = false
    private var hasTooManyScans = false

    /// - Parameters:
    ///   - bytes: The source's bytes.
    ///   - format: The source's format.
    ///   - addsMarker: Whether a JPEG is read as if the marker at its end were there.
    init(_ bytes: any SourceBytes, _ format: MediaFormat, addsMarker: Bool = false) {
        self.bytes = bytes
        self.addsMarker = addsMarker
        access = format.isStreamed ? .stream : .random
        scans = format == .jpeg ? ScanCounter() : nil
    }

    /// Returns a `VipsSource` that holds a reference to `self` and releases it when libvips is done.
    func makeVipsSource() -> UnsafeMutablePointer<VipsSource> {
        let owned = unsafe Unmanaged.passRetained(self).toOpaque()
        guard let source = unsafe cvips_source_new(readPictureSource, seekPictureSource, releasePictureSource, owned)
        else { preconditionFailure("GLib makes an object or ends the process.") }
        return unsafe source
    }

    /// Calls `body` with a function that reads the source from its first byte on, and with its argument.
    func withReader(_ body: (cvips_read, UnsafeMutableRawPointer) -> Int32) -> Int32 {
        offset = 0
        shortfall = 0
        if scans != nil { scans = ScanCounter() }
        return withExtendedLifetime(self) {
            unsafe body(readPictureSource, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// A Boolean value that indicates whether this is a JPEG that has all its coefficients, so that nothing but the marker at
    /// its end can be missing. Decodes the picture once more.
    var lacksOnlyMarker: Bool {
        guard scans != nil else { return false }
        return unsafe withReader { unsafe cvips_jpeg_is_whole($0, $1) } == 1
    }

    /// Returns `failure`, or the reason why reading was stopped here.
    func cause(of failure: DecodeError) -> DecodeError {
        hasTooManyScans ? DecodeError(.resourceLimit, "a JPEG of more than \(ScanCounter.limit) scans") : failure
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count =
            switch access {
            case .stream: unsafe bytes.read(at: offset, into: buffer)
            // The TIFF loader of libvips 8.14 takes a short read for damage.
            case .random: unsafe bytes.readFully(at: offset, into: buffer)
            }
        if count == 0, addsMarker, offset == bytes.waitForEnd(), buffer.count >= Self.marker.count {
            unsafe buffer.copyBytes(from: Self.marker)
            shortfall = buffer.count - Self.marker.count
            offset += Self.marker.count
            return Self.marker.count
        }
        guard count > 0, count <= buffer.count else {
            // After a short read, libvips always asks for the rest of its buffer.
            if buffer.count != shortfall { ranOut = true }
            return 0
        }
        shortfall = buffer.count - count
        offset += count
        if unsafe scans?.add(UnsafeRawBufferPointer(rebasing: buffer[..<count])) == false { hasTooManyScans = true }
        return hasTooManyScans ? -1 : count
    }

    fileprivate func seek(by distance: Int, from whence: Int32) -> Int {
        let base =
            switch whence {
            case SEEK_SET: 0
            case SEEK_CUR: offset
            default: access == .stream ? Self.streamLength : bytes.waitForEnd()
            }
        let (target, overflow) = base.addingReportingOverflow(distance)
        guard !overflow, target >= 0 else { return -1 }
        offset = target
        return target
    }
}

/// A counter of a JPEG's scans as its bytes are read. Each scan may cost as much as the whole picture, and libjpeg has
/// no limit.
private struct ScanCounter {
    /// The most scans. A normal progressive JPEG has about ten. Scans of thumbnails in the metadata count too.
    static let limit = 100
    private static let startOfScan: UInt8 = 0xDA

    private var count = 0
    private var endsInFF = false

    /// Counts the scans in `bytes`. Returns `true` if the limit is still kept.
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if endsInFF, unsafe bytes.first == Self.startOfScan { count += 1 }
        endsInFF = unsafe bytes.last == 0xFF
        var rest = unsafe bytes
        while let start = rest.baseAddress, let found = unsafe memchr(start, 0xFF, rest.count) {
            let next = unsafe UnsafeRawPointer(found) - start + 1
            guard next < rest.count else { break }
            if unsafe rest[next] == Self.startOfScan { count += 1 }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[next...])
        }
        return count <= Self.limit
    }
}

private let readPictureSource: cvips_read = { _, buffer, length, user in
    guard let user = unsafe user, let buffer = unsafe buffer, length > 0 else { return 0 }
    let source = unsafe Unmanaged<PictureSource>.fromOpaque(user).takeUnretainedValue()
    return unsafe source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
}

private let seekPictureSource: cvips_seek = { _, offset, whence, user in
    guard let user = unsafe user else { return -1 }
    return unsafe Unmanaged<PictureSource>.fromOpaque(user).takeUnretainedValue().seek(by: offset, from: whence)
}

private let releasePictureSource: cvips_release = { user, _ in
    guard let user = unsafe user else { return }
    unsafe Unmanaged<PictureSource>.fromOpaque(user).release()
}

// MARK: - Loaders

/// The loader for a format. libvips never detects the format itself.
struct PictureLoader {
    var format: MediaFormat
    /// The factor by which the loader shrinks, if it can: 1, 2, 4, or 8.
    var shrink = 1
    var frames = 1
    /// The severity from which on a problem is an error. Lesser problems leave blank or damaged pixels.
    var failOn = VIPS_FAIL_ON_NONE

    /// Returns the largest factor that satisfies a condition and loses less than an eighth of the shorter side.
    ///
    /// A loader leaves out last rows and columns that stand for fewer pixels. If none are left, libvips ends the process.
    static func largestShrink(of size: PixelSize, where isEnough: (Int) -> Bool) -> Int {
        [8, 4, 2].first { min(size.width, size.height) >= 8 * $0 && isEnough($0) } ?? 1
    }

    /// Reads the header. Rendering the picture decodes its pixels.
    func open(_ source: PictureSource) throws(DecodeError) -> Picture {
        let vipsSource = unsafe source.makeVipsSource()
        defer { unsafe g_object_unref(vipsSource) }
        return try unsafe Picture.make("\(format.rawValue)load") { made in
            switch format {
            case .jpeg: unsafe cvips_jpegload(vipsSource, Int32(shrink), failOn, &made)
            case .png: unsafe cvips_pngload(vipsSource, failOn, &made)
            case .gif: unsafe cvips_gifload(vipsSource, Int32(frames), failOn, &made)
            case .webp: unsafe cvips_webpload(vipsSource, Int32(frames), 1 / Double(shrink), failOn, &made)
            case .heic, .avif: unsafe cvips_heifload(vipsSource, failOn, &made)
            case .tiff: unsafe cvips_tiffload(vipsSource, failOn, &made)
            default: -1
            }
        }
    }
}

extension MediaFormat {
    /// A Boolean value that indicates whether pictures are decoded in the order of their bytes, so that an incomplete
    /// one can be shown.
    var isStreamed: Bool { self == .jpeg || self == .png }
}

// MARK: - Bytes in memory

/// Bytes that are all in memory: an embedded thumbnail, or a file that was just rewritten.
final class BytesInMemory: SourceBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    let isWhole = true
    let isCut = false
    let timeWillExpire = false

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < bytes.count else { return 0 }
        let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
        unsafe buffer.copyBytes(from: part)
        return part.count
    }

    func expect(_ ranges: [Range<Int>]) {}

    func waitForEnd() -> Int { bytes.count }

    var size: Int? { bytes.count }
}

extension SourceBytes {
    /// Waits until the source has ended, and returns all of its bytes.
    func readToEnd() -> [UInt8] {
        let count = waitForEnd()
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let space = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
            filled = unsafe readFully(at: 0, into: space)
        }
    }
}
