import Downloads
import Media

/// A download that is over.
struct Fetched {
    var report: DownloadReport
    var file: MediaFile

    var bytes: [UInt8] { file.prefix(file.progress.byteCount) }

    /// Compares without putting all bytes into the output of a test that fails.
    func holds(_ expected: [UInt8]) -> Bool { bytes == expected }
    /// For origins that had less time than they needed: how much came is up to the machine.
    func holdsBeginning(of expected: [UInt8]) -> Bool { expected.starts(with: bytes) }

    var reason: AttachmentFailure.Reason? { report.failure?.reason }
    /// Whether the file's ending tells the same as the report.
    var isConsistent: Bool {
        file.progress.ending == report.failure.map(MediaFile.Ending.cut) ?? .whole
    }
}

extension Downloader {
    func fetch(
        _ url: String,
        byteLimit: Int = 1_000_000,
        timeLimit: Duration = .seconds(30),
    ) async throws -> Fetched {
        let file = try MediaFile(byteLimit: byteLimit)
        return Fetched(report: await download(url, into: file, timeLimit: timeLimit), file: file)
    }
}

extension DownloadSettings {
    /// For origins on loopback, which has to be opened for a test.
    static func opening(_ blocks: String...) throws -> DownloadSettings {
        var settings = DownloadSettings()
        settings.addresses.allowed = try blocks.map { try CIDR($0) }
        return settings
    }
}

/// `count` bytes that repeat seldom enough to show a byte that is out of place.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }
