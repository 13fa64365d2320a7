import Base
import CLibav
import DecoderWire
import Media

/// The streams of a source that a clip is made of: those that a player would choose.
struct ClipStreams {
    let video: MediaStream?
    let audio: MediaStream?

    init(_ streams: [MediaStream]) {
        video = Self.best(streams.filter { $0.kind == .video && $0.hasSize })
        audio = Self.best(streams.filter { $0.kind == .audio })
    }

    /// The streams, video first: the clip begins with its key frame.
    var all: [MediaStream] { [video, audio].compactMap(\.self) }

    /// Returns the stream to play: one that the author marked as default, else the largest, else the first.
    private static func best(_ streams: [MediaStream]) -> MediaStream? {
        let chosen = streams.filter(\.isDefault)
        return (chosen.isEmpty ? streams : chosen).reduce(nil) { best, stream in
            guard let best, stream.storedSize.pixels <= best.storedSize.pixels else { return stream }
            return best
        }
    }
}

extension MediaStream {
    /// Returns `true` if the coded data can be delivered as it is, in an MP4 that follows `rules`.
    func isCopyable(under rules: VideoRules) -> Bool {
        let parameters = unsafe self.parameters.pointee
        let profiles = [
            FF_PROFILE_H264_BASELINE, FF_PROFILE_H264_CONSTRAINED_BASELINE, FF_PROFILE_H264_MAIN, FF_PROFILE_H264_HIGH,
        ]
        let formats = [AV_PIX_FMT_YUV420P.rawValue, AV_PIX_FMT_YUVJ420P.rawValue]
        let fields = [AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE]
        // Level 4.2 allows 1080p at 60 frames a second.
        return unsafe codec == AV_CODEC_ID_H264 && profiles.contains(parameters.profile) && parameters.level <= 42
            && formats.contains(parameters.format) && fields.contains(parameters.field_order) && frameRate <= 61
            && displaySize.longEdge <= rules.longEdge && storedSize == storedSize.even && displaySize.width > 1
            && displaySize.height > 1 && !orientation.isMirrored
    }

    /// A Boolean value that indicates whether the stream has uncompressed samples, which can be delivered as they are, as a WAV.
    ///
    /// Coded sound is never copied. AAC and MP3 have room for others' bytes in each frame (fill elements, data streams, ancillary
    /// data, and all that follows the last code), which only a decoder finds.
    var isUncompressed: Bool {
        let parameters = unsafe self.parameters.pointee
        return unsafe codec == AV_CODEC_ID_PCM_S16LE && sampleByteCount != nil && parameters.ch_layout.nb_channels <= 2
            && parameters.sample_rate <= 48_000
    }
}

extension ClipStreams {
    /// The memory that making a clip takes, in bytes, in addition to that of every decoder process. An estimate.
    var memoryBytes: Int {
        guard let video else { return 16_000_000 }
        return MemoryEstimate.clip(pixels: video.storedSize.pixels)
    }
}

// MARK: - Positions in the source

/// The positions of a clip's packets in its source, from the container's index: offset, size, and time of each.
struct ClipExtents {
    /// The largest gap, in bytes, that is read together with the parts around it.
    private static let gapLimit = 65_536

    /// The ranges in the order of the source, at least `gapLimit` apart. Empty if the container has no such index.
    let ranges: [Range<Int>]

    init(of range: ClipRange, in streams: [MediaStream]) {
        let entries = streams.map { Self.entries(of: $0, range) }
        // Reading goes in the order of the source until each stream is past the end of the clip.
        let last = entries.compactMap { entries in entries.first { $0.isBeyondEnd } ?? entries.last }.map(
            \.bytes.upperBound
        )
        let end = last.max() ?? 0
        let packets = ByteRanges(entries.joined().map(\.bytes).filter { $0.upperBound <= end })
        ranges = packets.ranges.reduce(into: []) { joined, range in
            if let previous = joined.last, range.lowerBound - previous.upperBound <= Self.gapLimit {
                joined[joined.count - 1] = previous.lowerBound..<range.upperBound
            } else {
                joined.append(range)
            }
        }
    }

    private struct Entry {
        var bytes: Range<Int>
        var isBeyondEnd: Bool
    }

    /// Returns the index entries from the key frame at which reading begins.
    private static func entries(of stream: MediaStream, _ range: ClipRange) -> [Entry] {
        let count = stream.indexEntryCount
        let (start, end) = (range.start - ClipReader.seekMargins[0], range.end + ClipReader.slack)
        var entries: [Entry] = []
        for index in 0..<count {
            guard let entry = stream.indexEntry(index), let bytes = entry.bytes else { continue }
            let time = stream.microseconds(entry.timestamp)
            if time > end { break }
            if time <= start, entry.isKeyFrame { entries = [] }
            entries.append(Entry(bytes: bytes, isBeyondEnd: time >= range.end))
        }
        return entries
    }
}

extension AVIndexEntry {
    fileprivate var isKeyFrame: Bool { flags & AVINDEX_KEYFRAME != 0 }

    /// The packet's range in the source; `nil` if the index does not give its size.
    fileprivate var bytes: Range<Int>? {
        guard size > 0, pos >= 0, let start = Int(exactly: pos), let end = SafeSize.sum(start, Int(size)) else {
            return nil
        }
        return start..<end
    }
}

/// The position of a movie's index, so that it can be requested at once.
enum MovieIndex {
    /// The most boxes that are looked at. Fragments come after the index, and only a few boxes come before it.
    private static let boxLimit = 32
    private static let headerByteCount = 16

    /// Returns the range of the outermost box `moov` (ISO/IEC 14496-12, section 4.2). It may extend beyond the end of a
    /// source.
    static func range(in bytes: any SourceBytes) -> Range<Int>? {
        var start = 0
        for _ in 0..<boxLimit {
            guard let box = box(at: start, in: bytes) else { return nil }
            if box.type == "moov" { return box.range }
            start = box.range.upperBound
        }
        return nil
    }

    /// The most boxes of a movie in fragments that are looked at: an hour of them.
    private static let fragmentLimit = 8192

    /// Returns whether the last box of a movie in fragments lacks bytes.
    static func lacksFragments(_ bytes: any SourceBytes) -> Bool {
        var (start, hasFragments) = (0, false)
        for _ in 0..<fragmentLimit {
            guard let box = box(at: start, in: bytes) else { return hasFragments && start != bytes.size }
            hasFragments = hasFragments || box.type == "moof"
            start = box.range.upperBound
        }
        return false
    }

    private static func box(at start: Int, in bytes: any SourceBytes) -> (type: String, range: Range<Int>)? {
        guard let header = bytes.bytes(at: start, count: headerByteCount) else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { header[range].reduce(0) { $0 << 8 | UInt64($1) } }
        // A size of 1 means that a 64-bit size follows the type; 0 means that the box extends to the end of the file.
        let isLong = number(0..<4) == 1
        let size = isLong ? number(8..<16) : number(0..<4)
        guard size >= (isLong ? 16 : 8), let size = Int(exactly: size), size < Int.max - start - headerByteCount else {
            return nil
        }
        return (String(decoding: header[4..<8], as: UTF8.self), start..<start + size)
    }
}
