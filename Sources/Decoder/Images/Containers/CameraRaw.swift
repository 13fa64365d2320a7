import DecoderWire

/// The raw data of a camera in a TIFF (DNG, NEF, CR2 and others), which is not decoded, and the JPEGs beside it.
struct CameraRaw {
    private enum Field {
        static let compression = 259
        static let interpretation = 262
        static let orientation = 274
        static let (strips, stripLengths) = (273, 279)
        static let subdirectories = 330
        static let (jpeg, jpegLength) = (513, 514)
        static let dngVersion = 50706
    }
    /// A color filter array, and values in proportion to the light: DNG 1.7, chapter 4.
    private static let rawInterpretations = [32803, 34892]
    private static let nikonCompression = 34713
    private static let jpegCompressions = [6, 7]
    /// The most directories: files have six.
    private static let directoryLimit = 16
    /// The most segments before a JPEG's frame.
    private static let segmentLimit = 1000
    /// The markers of frames that phones and browsers show. A lossless one, which only raw data have, is another.
    private static let frames: Set<UInt8> = [0xC0, 0xC1, 0xC2]

    /// The place of the largest JPEG, if the file has one.
    let picture: Range<Int>?
    /// The EXIF orientation of the picture.
    let orientation: Int?

    /// Returns `nil` if the source has no raw data.
    init?(of source: any SourceBytes) {
        var directories: [TIFFDirectory] = []
        var positions: [Int?] = [nil]
        while let position = positions.popLast(), directories.count < Self.directoryLimit {
            guard let directory = TIFFDirectory(of: source, at: position) else { continue }
            directories.append(directory)
            positions += directory[Field.subdirectories].map(Optional.some)
            if directory.next != 0 { positions.append(directory.next) }
        }
        // Canon's raw files have a mark of their own.
        let isRaw = source.bytes(at: 8, count: 3).map { $0 == Array("CR\u{2}".utf8) } ?? false
        guard isRaw || directories.contains(where: Self.isRaw) else { return nil }
        orientation = directories.first?[Field.orientation].first
        picture = directories.flatMap(Self.jpegs).filter { Self.isShown($0, of: source) }.max { $0.count < $1.count }
    }

    private static func isRaw(_ directory: TIFFDirectory) -> Bool {
        directory[Field.interpretation].contains(where: rawInterpretations.contains)
            || directory[Field.compression].first == nikonCompression || !directory[Field.dngVersion].isEmpty
    }

    /// Returns the places where the directory says that a JPEG is.
    private static func jpegs(_ directory: TIFFDirectory) -> [Range<Int>] {
        let isJPEG = directory[Field.compression].first.map(jpegCompressions.contains) ?? false
        let strips = isJPEG && directory[Field.strips].count == 1 ? [(Field.strips, Field.stripLengths)] : []
        return ([(Field.jpeg, Field.jpegLength)] + strips).compactMap { start, length in
            guard let start = directory[start].first, let length = directory[length].first, length > 0 else {
                return nil
            }
            return start..<start + length
        }
    }

    /// Returns whether there is a JPEG that everybody decodes.
    private static func isShown(_ place: Range<Int>, of source: any SourceBytes) -> Bool {
        var offset = place.lowerBound
        guard source.bytes(at: offset, count: 2) == [0xFF, 0xD8] else { return false }
        offset += 2
        for _ in 0..<segmentLimit {
            guard offset < place.upperBound, let segment = source.bytes(at: offset, count: 4), segment[0] == 0xFF else {
                return false
            }
            if frames.contains(segment[1]) { return true }
            // Another frame, or coefficients without one.
            guard !(0xC3...0xCF).contains(segment[1]) || segment[1] == 0xC4, segment[1] != 0xDA else { return false }
            offset += 2 + Int(segment[2]) << 8 + Int(segment[3])
        }
        return false
    }
}

/// A part of a source.
final class SourcePart: SourceBytes {
    private let source: any SourceBytes
    private let place: Range<Int>

    init(of source: any SourceBytes, _ place: Range<Int>) {
        self.source = source
        self.place = place
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, place.count - offset)
        guard count > 0 else { return 0 }
        return unsafe source.read(
            at: place.lowerBound + offset,
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
        )
    }

    func expect(_ ranges: [Range<Int>]) {
        source.expect(ranges.map { $0.lowerBound + place.lowerBound..<$0.upperBound + place.lowerBound })
    }

    func waitForEnd() -> Int { max(0, min(source.waitForEnd(), place.upperBound) - place.lowerBound) }

    var size: Int? { place.count }
    var isWhole: Bool { source.isWhole }
    var isCut: Bool { source.isCut }
    var timeWillExpire: Bool { source.timeWillExpire }
}
