import Base
import Downloads
import HTTPClient
import Media
import Synchronization

/// A finished download: the file, and the heads of the answers.
struct Fetched {
    var file: MediaFile
    var heads: [SourceHead]

    var bytes: [UInt8] { file.prefix(file.progress.byteCount) }

    /// Compares the bytes without printing all of them when a test fails.
    func holds(_ expected: [UInt8]) -> Bool { bytes == expected }
    /// Compares the beginning only: for origins that had too little time, the number of bytes depends on the machine.
    func holdsBeginning(of expected: [UInt8]) -> Bool { expected.starts(with: bytes) }

    /// The reason why the file was cut.
    var failure: AttachmentFailure? {
        if case .cut(let failure)? = file.progress.ending { failure } else { nil }
    }
    var reason: AttachmentFailure.Reason? { failure?.reason }
    /// The status of the last answer that says something about the source.
    var status: Int? { heads.last?.status }
    /// A Boolean value that indicates whether the file has ended, and has all of its bytes if nothing failed.
    var isConsistent: Bool { file.progress.ending != nil && (failure != nil || file.contents.isComplete) }
}

extension Downloader {
    func fetch(
        _ url: String,
        byteLimit: Int = 1_000_000,
        timeLimit: Duration = .seconds(540),
        wantsAll: Bool = false,
    ) async throws -> Fetched {
        let file = try MediaFile(byteLimit: byteLimit)
        if wantsAll { file.want(0..<Int.max) }
        return await download(url, into: file, timeLimit: timeLimit)
    }

    /// Downloads for one caller, who waits for as long as the download may take.
    @discardableResult
    func download(
        _ url: String,
        into file: MediaFile,
        timeLimit: Duration,
        kind: MediaFormat.Kind? = nil,
        unless known: SourceValidators? = nil,
        onEvent: @escaping ProgressEvent.Receiver = { _ in },
    ) async -> Fetched {
        let heads = Mutex<[SourceHead]>([])
        let deadline = Deadline(SystemTime().now + timeLimit)
        await download(
            DownloadJob(
                resolve(url),
                into: file,
                deadline: deadline,
                timeLimit: timeLimit,
                kind: kind,
                unless: known,
                onEvent: { event in
                    if case .head(let head) = event { heads.withLock { $0.append(head) } }
                    onEvent(event)
                },
            )
        )
        return Fetched(file: file, heads: heads.withLock(\.self))
    }
}

extension DownloadSettings {
    /// Settings for a machine that is so full that a handshake may take long.
    static var patient: DownloadSettings {
        var settings = DownloadSettings()
        settings.http.connectTimeout = .seconds(540)
        return settings
    }

    /// Returns settings that allow origins on loopback.
    static func opening(_ blocks: String...) throws -> DownloadSettings {
        var settings = patient
        settings.http.addresses.allowed = try blocks.map { try CIDR($0) }
        return settings
    }
}

/// Returns `count` bytes whose pattern repeats rarely enough to expose a misplaced byte.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }
