import Downloads
import HTTPClient
import Media
import Timing

/// A finished download.
struct Fetched {
    var report: DownloadReport
    var file: MediaFile

    var bytes: [UInt8] { file.prefix(file.progress.byteCount) }

    /// Compares the bytes without printing all of them when a test fails.
    func holds(_ expected: [UInt8]) -> Bool { bytes == expected }
    /// Compares the beginning only: for origins that had too little time, the number of bytes depends on the machine.
    func holdsBeginning(of expected: [UInt8]) -> Bool { expected.starts(with: bytes) }

    var reason: AttachmentFailure.Reason? { report.failure?.reason }
    /// A Boolean value that indicates whether the file's ending agrees with the report.
    var isConsistent: Bool {
        file.progress.ending == report.failure.map(MediaFile.Ending.cut) ?? .whole
    }
}

extension Downloader {
    func fetch(
        _ url: String,
        byteLimit: Int = 1_000_000,
        timeLimit: Duration = .seconds(50),
        wantsAll: Bool = false,
    ) async throws -> Fetched {
        let file = try MediaFile(byteLimit: byteLimit)
        if wantsAll { file.want(0..<Int.max) }
        return Fetched(report: await download(url, into: file, timeLimit: timeLimit), file: file)
    }

    /// Downloads for one caller, who waits for as long as the download may take.
    func download(
        _ url: String,
        into file: MediaFile,
        timeLimit: Duration,
        kind: MediaFormat.Kind? = nil,
        unless known: SourceValidators? = nil,
        onEvent: @escaping ProgressEvent.Receiver = { _ in },
    ) async -> DownloadReport {
        let deadline = Deadline(SystemTime().now + timeLimit)
        return await download(
            DownloadJob(
                url,
                into: file,
                deadline: deadline,
                timeLimit: timeLimit,
                kind: kind,
                unless: known,
                onEvent: onEvent,
            )
        )
    }
}

extension DownloadSettings {
    /// Returns settings that allow origins on loopback.
    static func opening(_ blocks: String...) throws -> DownloadSettings {
        var settings = DownloadSettings()
        settings.http.addresses.allowed = try blocks.map { try CIDR($0) }
        return settings
    }
}

/// Returns `count` bytes whose pattern repeats rarely enough to expose a misplaced byte.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }
