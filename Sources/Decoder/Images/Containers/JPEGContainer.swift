import CVipsShim

/// The container of a JPEG (ITU-T T.81, annex B): segments, and the scans with its coefficients.
enum JPEGContainer {
    /// Returns the same coefficients in a new file, without metadata, thumbnails, profiles, comments, tables that no
    /// coefficient needs, and any byte that is not part of them.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limit: The most bytes of the result.
    /// - Returns: `nil` if anything about the file is wrong or the result has more bytes than the limit.
    static func rewritten(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        // The scans of the copy are not those of the source, which may have been searched for: it may be a little longer. It
        // has a header where the file may have none.
        let capacity = min(limit, bytes.count + bytes.count / 8 + 1024)
        var isCopied = false
        let copy = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { copy, count in
            let length = unsafe cvips_jpeg_copy(bytes, bytes.count, copy.baseAddress, copy.count)
            isCopied = length >= 0
            count = max(0, length)
        }
        return isCopied ? copy : nil
    }

    /// Returns `true` if the first scans of a progressive picture are there. They have the average colors of each
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
            guard skipEntropyCodedData(&reader) else { return false }
            guard payload.count >= 4, payload[payload.endIndex - 3] == 0 else { continue }
            let components = payload.dropFirst().dropLast(3).enumerated()
            covered.formUnion(components.filter { $0.offset.isMultiple(of: 2) }.map(\.element))
            if covered.count == componentCount { return true }
        }
        return false
    }

    private enum Marker {
        static let progressive: UInt8 = 0xC2
        static let startOfScan: UInt8 = 0xDA
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
    }

    private static func nextMarker(_ reader: inout ContainerReader) -> UInt8? {
        guard reader.byte() == 0xFF else { return nil }
        while reader.peek() == 0xFF { _ = reader.byte() }
        return reader.byte()
    }

    /// Goes through the data after a scan's header, up to the next marker that is not part of it. Returns `false` if
    /// there is no such marker.
    private static func skipEntropyCodedData(_ reader: inout ContainerReader) -> Bool {
        while reader.take(upTo: 0xFF) != nil {
            guard let next = reader.peek(1) else { return false }
            guard next == 0 || Marker.restarts.contains(next) else { return true }
            _ = reader.take(2)
        }
        return false
    }
}
