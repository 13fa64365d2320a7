import CVips
import CVipsShim
import DecoderWire
import Glibc
import Media

/// A source's bytes as libvips reads them once, from the first, and what was seen of them on the way.
final class PictureSource {
    /// How a loader wants its bytes.
    enum Access {
        /// In order and as they come: a picture is decoded while it downloads.
        case stream
        /// All of them, anywhere: libvips asks for the length first, which waits for the end.
        case random
    }

    /// The length that a stream claims to have, because libvips 8.14 asks before it reads anything, and has assertions
    /// that fail on short sources without a length. Streamed formats don't use it.
    private static let streamLength = 1 << 40

    private let bytes: any SourceBytes
    private let access: Access
    private var offset = 0
    private var scans: ScanCounter?
    /// How much less than libvips asked for the last read with bytes gave.
    private var shortfall = 0
    /// Whether a decoder needed bytes beyond the last one.
    private(set) var ranOut = false
    private var hasTooManyScans = false

    init(_ bytes: any SourceBytes, _ format: MediaFormat) {
        self.bytes = bytes
        access = format.isStreamed ? .stream : .random
        scans = format == .jpeg ? ScanCounter() : nil
    }

    /// A `VipsSource` that owns a reference to `self`, and gives it back when libvips is done with it.
    func makeVipsSource() -> UnsafeMutablePointer<VipsSource> {
        let owned = unsafe Unmanaged.passRetained(self).toOpaque()
        guard let source = unsafe cvips_source_new(readPictureSource, seekPictureSource, releasePictureSource, owned)
        else { preconditionFailure("GLib makes an object or ends the process.") }
        return unsafe source
    }

    /// `failure`, or what is behind it if reading was given up here.
    func cause(of failure: DecodeFailure) -> DecodeFailure {
        hasTooManyScans ? DecodeFailure(.resourceLimit, "a JPEG of more than \(ScanCounter.limit) scans") : failure
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe bytes.read(at: offset, into: buffer)
        guard count > 0, count <= buffer.count else {
            // After a short read libvips asks for the rest of its buffer, needed or not.
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

/// Counts the scans of a JPEG while it passes by: each may cost as much as the whole picture, and libjpeg has no limit.
private struct ScanCounter {
    /// An honest progressive JPEG has ten or so. Those of thumbnails in its metadata are counted with them.
    static let limit = 100
    private static let startOfScan: UInt8 = 0xDA

    private var count = 0
    private var endsInFF = false

    /// Whether the limit still holds with `bytes` added.
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
