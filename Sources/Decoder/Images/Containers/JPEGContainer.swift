/// The container of a JPEG (ITU-T T.81 annex B): the segments that a decoder needs, and all others.
enum JPEGContainer {
    /// Returns the same coded picture without metadata, thumbnails, profiles, comments, and trailing data.
    ///
    /// - Returns: `nil` if the file is malformed.
    static func stripped(_ bytes: [UInt8]) -> [UInt8]? {
        var reader = ContainerReader(bytes)
        guard reader.take(2) == [0xFF, 0xD8] else { return nil }
        var kept: [UInt8] = [0xFF, 0xD8]
        kept.reserveCapacity(bytes.count)
        while let marker = nextMarker(&reader) {
            guard marker != Marker.endOfImage else { return kept + [0xFF, marker] }
            guard let length = reader.bigEndian(2), let payload = reader.take(length - 2) else { return nil }
            switch marker {
            case Marker.baseline, Marker.extended, Marker.progressive, Marker.huffmanTables, Marker.quantisation,
                Marker.restartInterval:
                kept += segment(marker, payload)
            case Marker.startOfScan:
                guard let scan = entropyCodedData(&reader) else { return nil }
                kept += segment(marker, payload) + scan
            case Marker.application0:
                // Keeps JFIF, which says that the colours are YCbCr, but drops its thumbnail and resolution.
                if payload.starts(with: "JFIF\0".utf8) { kept += segment(marker, Array("JFIF\0".utf8) + jfifBody) }
            case Marker.application14:
                // Keeps Adobe's segment: its last byte says how the colours are coded.
                guard payload.starts(with: "Adobe".utf8), payload.count >= 12 else { continue }
                kept += segment(marker, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, payload[payload.startIndex + 11]])
            case Marker.applications, Marker.comment:
                continue
            default:
                return nil
            }
        }
        return nil
    }

    /// Returns `true` if the first scans of a progressive picture are there. They have the average colours of each
    /// component, so that every part of the picture shows something, however early the file ends.
    static func coversWholePicture(_ bytes: [UInt8]) -> Bool {
        var reader = ContainerReader(bytes)
        guard reader.take(2) == [0xFF, 0xD8] else { return false }
        var componentCount: Int?
        var covered: Set<UInt8> = []
        while let marker = nextMarker(&reader), let length = reader.bigEndian(2), let payload = reader.take(length - 2)
        {
            if marker == Marker.progressive { componentCount = payload.dropFirst(5).first.map(Int.init) }
            guard marker == Marker.startOfScan else { continue }
            // A scan is complete if another marker follows it.
            guard entropyCodedData(&reader) != nil else { return false }
            guard payload.count >= 4, payload[payload.endIndex - 3] == 0 else { continue }
            let components = payload.dropFirst().dropLast(3).enumerated()
            covered.formUnion(components.filter { $0.offset.isMultiple(of: 2) }.map(\.element))
            if covered.count == componentCount { return true }
        }
        return false
    }

    private enum Marker {
        static let baseline: UInt8 = 0xC0
        static let extended: UInt8 = 0xC1
        static let progressive: UInt8 = 0xC2
        static let huffmanTables: UInt8 = 0xC4
        static let endOfImage: UInt8 = 0xD9
        static let startOfScan: UInt8 = 0xDA
        static let quantisation: UInt8 = 0xDB
        static let restartInterval: UInt8 = 0xDD
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        static let application0: UInt8 = 0xE0
        static let application14: UInt8 = 0xEE
        static let applications: ClosedRange<UInt8> = 0xE0...0xEF
        static let comment: UInt8 = 0xFE
    }

    /// A JFIF body: version 1.1, no unit, aspect ratio 1:1, no thumbnail.
    private static let jfifBody: [UInt8] = [1, 1, 0, 0, 1, 0, 1, 0, 0]

    private static func nextMarker(_ reader: inout ContainerReader) -> UInt8? {
        guard reader.byte() == 0xFF else { return nil }
        while reader.peek() == 0xFF { _ = reader.byte() }
        return reader.byte()
    }

    private static func segment(_ marker: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)] + payload
    }

    /// Returns the data after a scan's header, up to the next marker that is not part of it; `nil` if there is no such
    /// marker.
    private static func entropyCodedData(_ reader: inout ContainerReader) -> [UInt8]? {
        var data: [UInt8] = []
        while let run = reader.take(upTo: 0xFF) {
            data += run
            guard let next = reader.peek(1) else { return nil }
            guard next == 0 || Marker.restarts.contains(next) else { return data }
            data += reader.take(2) ?? []
        }
        return nil
    }
}
