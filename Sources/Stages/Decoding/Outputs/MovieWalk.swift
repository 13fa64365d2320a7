import Base

/// A walk through all boxes of an MP4 or M4A (ISO/IEC 14496-12): those that attachd's own clips have, each with nothing but its
/// values, and one box of data, each byte of which belongs to a sample.
struct MovieWalk {
    /// The most boxes: attachd's own clips have about 60. A file of empty boxes has millions.
    private static let boxLimit = 200
    /// The most bytes of a box without others in it, but for the data: the tables of attachd's own clips have some thousand. A
    /// clip has at most 200,000 packets.
    private static let leafLimit = 2_000_000
    private static let children: [String: Set<String>] = [
        "": ["ftyp", "moov", "free", "mdat"], "moov": ["mvhd", "trak", "udta"], "trak": ["tkhd", "edts", "mdia"],
        "edts": ["elst"], "mdia": ["mdhd", "hdlr", "minf"], "minf": ["vmhd", "smhd", "dinf", "stbl"],
        "dinf": ["dref"], "dref": ["url "], "stsd": ["avc1", "mp4a"], "avc1": ["avcC", "pasp", "colr", "btrt", "fiel"],
        "mp4a": ["esds", "btrt"],
        "stbl": ["stsd", "stts", "ctts", "stss", "stsc", "stsz", "stco", "sdtp", "sgpd", "sbgp"],
    ]
    private static let brands: Set<String> = [
        "isom", "iso2", "iso4", "iso5", "iso6", "avc1", "mp41", "mp42", "M4A ", "M4V ",
    ]

    /// The displayed size of the track with pictures, after its matrix is applied.
    private(set) var size: (width: Int, height: Int)?
    private(set) var durationMilliseconds = 0
    /// The tracks, as their tables of samples and their edits tell.
    private(set) var tracks: [OutputHeader.Track] = []
    /// The units of time of the whole movie, in a second. Edits count in them.
    private var units = 0
    private var boxes = 0
    private var data: Range<Int>?
    /// The tracks' tables of samples.
    private var tables: [SampleTable] = []
    private var types: [String] = []

    /// Walks through the file. Returns `nil` if anything but the clip is in the bytes, or if its index is not at the front.
    init?(_ bytes: Span<UInt8>) {
        guard walk(bytes, 0..<bytes.count, in: ""), types.starts(with: ["ftyp", "moov"]), let data,
            1...2 ~= tables.count
        else { return nil }
        var chunks: [Range<Int>] = []
        for table in tables {
            guard let more = table.chunks(bytes), let track = table.track(bytes, movieUnits: units) else { return nil }
            chunks += more
            tracks.append(track)
        }
        var offset = data.lowerBound
        for chunk in chunks.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard chunk.lowerBound == offset else { return nil }
            offset = chunk.upperBound
        }
        guard offset == data.upperBound else { return nil }
    }

    /// Goes over the boxes that fill `range`. Returns `false` if they don't, or if one of them must not be there.
    private mutating func walk(_ bytes: Span<UInt8>, _ range: Range<Int>, in parent: String) -> Bool {
        var offset = range.lowerBound
        var seen: Set<String> = []
        let allowed = Self.children[parent] ?? []
        while offset < range.upperBound {
            boxes += 1
            // None is so large that its size needs 64 bits.
            guard boxes <= Self.boxLimit, offset + 8 <= range.upperBound,
                let length = bytes.bigEndian(at: offset, byteCount: 4), length >= 8,
                length <= range.upperBound - offset
            else { return false }
            let type = String(decoding: (4..<8).map { bytes[offset + $0] }, as: UTF8.self)
            guard allowed.contains(type), seen.insert(type).inserted || type == "trak" else { return false }
            let content = offset + 8..<offset + length
            if parent == "" { types.append(type) }
            guard take(type, bytes, content, in: parent) else { return false }
            offset += length
        }
        return true
    }

    /// Takes a box. Returns `false` if its content is not that of attachd's own clips.
    private mutating func take(_ type: String, _ bytes: Span<UInt8>, _ content: Range<Int>, in parent: String) -> Bool {
        switch type {
        case "moov", "edts", "mdia", "minf", "dinf", "stbl": return walk(bytes, content, in: type)
        case "trak":
            tables.append(SampleTable())
            return walk(bytes, content, in: type)
        case "mdat":
            data = content
            return true
        default: break
        }
        guard content.count <= Self.leafLimit else { return false }
        let box = BoxContent(bytes: content.map { bytes[$0] })
        switch type {
        case "dref", "stsd":
            return box.number(0, 8) == 1 && walk(bytes, content.lowerBound + 8..<content.upperBound, in: type)
        case "avc1":
            // Sizes, resolution and depth, but no name of a compressor.
            return box.count > 78 && box.isZero(0..<7) && box.number(6, 2) == 1 && box.isZero(8..<24)
                && box.number(28, 4) == 0x48_0000 && box.number(32, 4) == 0x48_0000 && box.isZero(36..<40)
                && box.number(40, 2) == 1 && box.isZero(42..<74) && box.number(74, 4) == 0x18_FFFF
                && walk(bytes, content.lowerBound + 78..<content.upperBound, in: type)
        case "mp4a":
            return box.count > 28 && box.isZero(0..<7) && box.number(6, 2) == 1 && box.isZero(8..<16)
                && box.number(18, 2) == 16 && box.isZero(20..<24)
                && walk(bytes, content.lowerBound + 28..<content.upperBound, in: type)
        case "mvhd": return takeHeader(box)
        case "tkhd": return takeTrackHeader(box)
        case "stsc", "stsz", "stco", "stts", "ctts", "stss", "sdtp":
            tables[tables.count - 1].boxes[type] = content
            return Self.isTable(type, box)
        case "elst", "mdhd", "hdlr":
            tables[tables.count - 1].boxes[type] = content
            return Self.isLeaf(type, box)
        default: return Self.isLeaf(type, box)
        }
    }

    /// Reads the movie's header: the unit of time, and the duration.
    private mutating func takeHeader(_ box: BoxContent) -> Bool {
        // At the usual speed and volume, and upright.
        guard box.count == 100, box.isZero(0..<12), let units = box.number(12, 4), units > 0,
            let duration = box.number(16, 4), let scaled = SafeSize.product(duration, 1000),
            box.number(20, 6) == 0x1_0000_0100, box.isZero(26..<36), box.isMatrix(36), box.number(36, 4) == 0x1_0000,
            box.isZero(72..<96)
        else { return false }
        durationMilliseconds = scaled / units
        self.units = units
        return true
    }

    /// Reads a track's header: the displayed size, with 16 fractional bits, and the matrix, of which only quarter turns
    /// matter (8.3.2).
    private mutating func takeTrackHeader(_ box: BoxContent) -> Bool {
        guard box.count == 84, box.isZero(0..<3), box.isZero(4..<12), box.isZero(16..<20), box.isZero(24..<34),
            [0, 1, 0x100, 0x1_0100].contains(box.number(34, 4)), box.isZero(38..<40), box.isMatrix(40),
            let a = box.number(40, 4), let width = box.number(76, 4),
            let height = box.number(80, 4)
        else { return false }
        guard width > 0 || height > 0 else { return true }
        guard size == nil else { return false }
        // Pixels that are not square make it broken numbers: 426.67 pixels are shown as 427.
        let shown = (width: (width + 0x8000) >> 16, height: (height + 0x8000) >> 16)
        size = a == 0 ? (shown.height, shown.width) : shown
        return true
    }

    private static func isTable(_ type: String, _ box: BoxContent) -> Bool {
        guard box.isZero(1..<4) else { return false }
        switch type {
        case "stsz": return box.number(4, 4) == 0 ? box.isList(of: 4, from: 8) : box.count == 12
        case "stsc": return box.isList(of: 12, from: 4)
        case "stts", "ctts": return box.isList(of: 8, from: 4)
        // Whether a picture needs others, and whether others need it.
        case "sdtp": return box.bytes.dropFirst(4).allSatisfy { [0x10, 0x18, 0x20, 0x28].contains($0) }
        default: return box.isList(of: 4, from: 4)
        }
    }

    private static func isLeaf(_ type: String, _ box: BoxContent) -> Bool {
        switch type {
        case "ftyp":
            return box.count % 4 == 0 && box.count <= 4 * brands.count && box.number(4, 4) == 0x200
                && stride(from: 0, to: box.count, by: 4).allSatisfy { $0 == 4 || brands.contains(box.text($0, 4)) }
        case "free": return box.count == 0
        case "udta": return box.isEqual(to: emptyTags)
        case "elst":
            guard let version = box.number(0, 1), version <= 1 else { return false }
            return box.isZero(1..<4) && box.number(4, 4) ?? 0 <= 3 && box.isList(of: version == 1 ? 20 : 12, from: 4)
        case "mdhd":
            let isLong = box.number(0, 1) == 1
            return box.count == (isLong ? 36 : 24) && box.isZero(1..<(isLong ? 20 : 12))
        case "hdlr":
            return ["videVideoHandler", "sounSoundHandler"].contains { words in
                let (kind, name) = (Array(words.utf8.prefix(4)), Array(words.utf8.dropFirst(4)))
                let zeros = [UInt8](repeating: 0, count: 12)
                return box.isEqual(to: [UInt8](repeating: 0, count: 8) + kind + zeros + name + [0])
            }
        case "vmhd": return box.isEqual(to: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        case "smhd": return box.count == 8 && box.isZero(0..<8)
        case "url ": return box.isEqual(to: [0, 0, 0, 1])
        case "sgpd": return box.count == 18 && box.number(4, 8) == 0x726F_6C6C_0000_0002 && box.number(12, 4) == 1
        case "sbgp":
            return box.text(4, 4) == "roll" && box.isZero(0..<4) && box.count <= 28 && box.isList(of: 8, from: 8)
        case "pasp": return box.count == 8
        case "btrt": return box.count == 12
        case "fiel": return box.count == 2
        case "colr": return box.count == 11 && box.text(0, 4) == "nclx"
        case "avcC": return isConfiguration(box)
        case "esds": return box.isZero(0..<4) && isDescription(box)
        default: return false
        }
    }

    /// The tags of a file without any, as libav writes them.
    private static let emptyTags: [UInt8] =
        [0, 0, 0, 53] + Array("meta".utf8) + [0, 0, 0, 0, 0, 0, 0, 33] + Array("hdlr".utf8)
        + [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9) + [0, 0, 0, 8]
        + Array("ilst".utf8)

    /// Returns `true` for the parameters of H.264 (ISO/IEC 14496-15, 5.3.3.1): sequences, pictures, and four bytes of the high
    /// profiles.
    private static func isConfiguration(_ box: BoxContent) -> Bool {
        guard let first = box.number(5, 1) else { return false }
        var offset = 6
        for _ in 0..<first & 31 {
            guard let length = box.number(offset, 2) else { return false }
            offset += 2 + length
        }
        guard let second = box.number(offset, 1) else { return false }
        offset += 1
        for _ in 0..<second {
            guard let length = box.number(offset, 2) else { return false }
            offset += 2 + length
        }
        return offset == box.count || offset + 4 == box.count && box.number(offset + 3, 1) == 0
    }

    /// Returns `true` for the description of AAC (ISO/IEC 14496-1, 7.2.6), as libav writes it, with at most five bytes of
    /// configuration (ISO/IEC 14496-3, 1.6.2.1).
    private static func isDescription(_ box: BoxContent) -> Bool {
        guard let length = box.number(34, 1), 2...5 ~= length else { return false }
        return box.number(4, 4) == 0x0380_8080 && box.number(8, 1) == 32 + length && box.number(11, 1) == 0
            && box.number(12, 4) == 0x0480_8080 && box.number(16, 1) == 18 + length && box.number(17, 1) == 0x40
            && box.number(30, 4) == 0x0580_8080 && box.isEqual(to: [6, 0x80, 0x80, 0x80, 1, 2], at: 35 + length)
            && box.count == 41 + length
    }
}

/// The content of one box. Numbers are big-endian, and positions count from its start.
private struct BoxContent {
    let bytes: [UInt8]

    var count: Int { bytes.count }

    func number(_ offset: Int, _ byteCount: Int) -> Int? { bytes.span.bigEndian(at: offset, byteCount: byteCount) }

    func text(_ offset: Int, _ byteCount: Int) -> String {
        offset + byteCount <= count ? String(decoding: bytes[offset..<offset + byteCount], as: UTF8.self) : ""
    }

    func isZero(_ part: Range<Int>) -> Bool { part.upperBound <= count && bytes[part].allSatisfy { $0 == 0 } }

    func isEqual(to expected: [UInt8]) -> Bool { bytes == expected }

    func isEqual(to expected: [UInt8], at offset: Int) -> Bool {
        offset + expected.count <= count && bytes[offset..<offset + expected.count].elementsEqual(expected)
    }

    /// Returns `true` for the matrix of a picture that is turned by quarters, or not at all.
    func isMatrix(_ offset: Int) -> Bool {
        let (one, minus) = (0x1_0000, 0xFFFF_0000)
        let turns = [[one, 0, 0, one], [0, one, minus, 0], [minus, 0, 0, minus], [0, minus, one, 0]]
        let numbers = (0..<9).map { number(offset + 4 * $0, 4) ?? 0 }
        return turns.contains { numbers == [$0[0], $0[1], 0, $0[2], $0[3], 0, 0, 0, 0x4000_0000] }
    }

    /// Returns `true` if a number of entries stands at `offset`, and just those entries behind it.
    func isList(of entryByteCount: Int, from offset: Int) -> Bool {
        guard let entries = number(offset, 4) else { return false }
        return count == offset + 4 + entries * entryByteCount
    }
}

/// The table of one track's samples: their sizes, and their chunks in the data (ISO/IEC 14496-12, 8.7).
private struct SampleTable {
    var boxes: [String: Range<Int>] = [:]

    /// Returns `true` if the other tables say something of each sample once, or of some of them in order.
    private func describesAll(_ sampleCount: Int, _ bytes: Span<UInt8>) -> Bool {
        for type in ["stts", "ctts"] {
            guard let table = boxes[type] else { continue }
            var sum = 0
            for entry in stride(from: table.lowerBound + 8, to: table.upperBound, by: 8) {
                guard let count = bytes.bigEndian(at: entry, byteCount: 4), count > 0 else { return false }
                sum += count
            }
            guard sum == sampleCount else { return false }
        }
        if let table = boxes["sdtp"], table.count != 4 + sampleCount { return false }
        guard let table = boxes["stss"] else { return true }
        var last = 0
        for entry in stride(from: table.lowerBound + 8, to: table.upperBound, by: 4) {
            guard let sample = bytes.bigEndian(at: entry, byteCount: 4), sample > last, sample <= sampleCount else {
                return false
            }
            last = sample
        }
        return true
    }

    /// Returns what the track shows, and for how long; `nil` if it doesn't say.
    func track(_ bytes: Span<UInt8>, movieUnits: Int) -> OutputHeader.Track? {
        guard let kind = boxes["hdlr"].flatMap({ bytes.bigEndian(at: $0.lowerBound + 8, byteCount: 4) }),
            let header = boxes["mdhd"]?.lowerBound, let version = bytes.bigEndian(at: header, byteCount: 1),
            let units = bytes.bigEndian(at: header + (version == 1 ? 20 : 12), byteCount: 4), units > 0,
            let times = boxes["stts"]
        else { return nil }
        var (samples, duration) = (0, 0)
        for entry in stride(from: times.lowerBound + 8, to: times.upperBound, by: 8) {
            guard let count = bytes.bigEndian(at: entry, byteCount: 4),
                let each = bytes.bigEndian(at: entry + 4, byteCount: 4), let all = SafeSize.product(count, each),
                let sum = SafeSize.sum(duration, all)
            else { return nil }
            (samples, duration) = (samples + count, sum)
        }
        guard let scaled = SafeSize.product(duration, 1000) else { return nil }
        var milliseconds = scaled / units
        // An edit list shows a part of the samples.
        if let shown = edited(bytes, movieUnits: movieUnits) { milliseconds = min(milliseconds, shown) }
        return OutputHeader.Track(isVideo: kind == 0x7669_6465, samples: samples, milliseconds: milliseconds)
    }

    /// Returns the duration of the parts that an edit list shows, in milliseconds; `nil` without one.
    private func edited(_ bytes: Span<UInt8>, movieUnits: Int) -> Int? {
        guard let list = boxes["elst"], movieUnits > 0, let version = bytes.bigEndian(at: list.lowerBound, byteCount: 1)
        else { return nil }
        let width = version == 1 ? 8 : 4
        var sum = 0
        for entry in stride(from: list.lowerBound + 8, to: list.upperBound, by: 2 * width + 4) {
            // The pause before a track that begins later has an edit of its own, which counts: time passes.
            guard let duration = bytes.bigEndian(at: entry, byteCount: width), let all = SafeSize.sum(sum, duration)
            else { return nil }
            sum = all
        }
        return SafeSize.product(sum, 1000).map { $0 / movieUnits }
    }

    /// Returns the ranges of the chunks; `nil` if the tables contradict each other.
    func chunks(_ bytes: Span<UInt8>) -> [Range<Int>]? {
        guard let sizes = boxes["stsz"]?.lowerBound, let runs = boxes["stsc"]?.lowerBound,
            let offsets = boxes["stco"]?.lowerBound, let size = bytes.bigEndian(at: sizes + 4, byteCount: 4),
            let sampleCount = bytes.bigEndian(at: sizes + 8, byteCount: 4),
            let runCount = bytes.bigEndian(at: runs + 4, byteCount: 4),
            let chunkCount = bytes.bigEndian(at: offsets + 4, byteCount: 4), describesAll(sampleCount, bytes)
        else { return nil }
        var chunks: [Range<Int>] = []
        var (sample, run, samplesEach) = (0, 0, 0)
        for chunk in 0..<chunkCount {
            // A run says from which chunk on it counts.
            if run < runCount, let first = bytes.bigEndian(at: runs + 8 + 12 * run, byteCount: 4), first == chunk + 1,
                let each = bytes.bigEndian(at: runs + 12 + 12 * run, byteCount: 4)
            {
                (run, samplesEach) = (run + 1, each)
            }
            guard let start = bytes.bigEndian(at: offsets + 8 + 4 * chunk, byteCount: 4),
                samplesEach > 0, samplesEach <= sampleCount - sample
            else { return nil }
            var end = start
            if size > 0 {
                guard let byteCount = SafeSize.product(samplesEach, size), byteCount <= bytes.count else { return nil }
                end += byteCount
            } else {
                for index in sample..<sample + samplesEach {
                    guard let length = bytes.bigEndian(at: sizes + 12 + 4 * index, byteCount: 4) else { return nil }
                    end += length
                }
            }
            sample += samplesEach
            chunks.append(start..<end)
        }
        return sample == sampleCount && run == runCount ? chunks : nil
    }
}
