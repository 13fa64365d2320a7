import Base
import Media
import Processing
import Support
import Synchronization

/// A download with scripted behaviour.
struct FakeDownloader: AttachmentDownloading {
    enum Behaviour: Sendable {
        case body([UInt8])
        /// Delivers the bytes, and then stalls until it is cancelled.
        case stalls([UInt8])
        case fails(AttachmentFailure.Reason)
        /// Delivers the first bytes of a source of this size, and waits for a reader to have enough.
        case part([UInt8], of: Int)
        /// Delivers nothing, and ignores cancellation.
        case hangs
    }

    /// The behaviour for each URL.
    var behaviours: [String: Behaviour]
    /// Returns the host of a URL, of which its origin has the name.
    var host: @Sendable (String) -> String = { $0.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    func resolve(_ text: String) -> Source { Source(text, host: host(text)) }

    func download(_ job: DownloadJob) async {
        let file = job.file
        switch behaviours[job.source.text] {
        case .body(let bytes):
            try? file.append(bytes)
            file.end(.whole)
        case .stalls(let bytes):
            try? file.append(bytes)
            _ = await file.progress(reaching: .max)
        case .part(let bytes, let size):
            file.setSize(size)
            try? file.append(bytes)
            _ = await file.progress(reaching: .max)
        case .fails(let reason):
            file.end(.cut(AttachmentFailure(.download, reason, "The test says so.")))
        case .hangs, nil:
            await Signal().hang()
        }
    }
}

/// A decoder that emits scripted rungs.
struct FakeConverter: AttachmentConverting {
    var rungs: [Rung] = [.downscaled]
    /// The rungs to emit for a truncated source.
    var rungsOfCut: [Rung] = []
    var failure: AttachmentFailure.Reason?
    var hangs = false
    /// A Boolean value that indicates whether the decoder waits for the source's end.
    var needsAll = true

    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        let ending = needsAll ? await job.file.progress(reaching: .max).ending : .whole
        job.onEvent(.described(SourceReport(width: 4000, height: 3000, frames: 1)))
        for rung in ending == .whole ? rungs : rungsOfCut {
            guard let ready = try? ReadyRung(Array("picture".utf8), rung) else { continue }
            job.onEvent(.output(ready))
        }
        if hangs { await Signal().hang() }
        if let failure { throw AttachmentFailure(.decode, failure, "The test says so.") }
        return .milliseconds(50)
    }
}

/// A store that counts.
final class FakeStore: AttachmentStoring {
    enum Behaviour: Sendable {
        case works, fails, hangs
        /// The store is known to fail.
        case refuses
        /// The store hangs after it has stored one file.
        case storesOne
    }

    /// The signal that it hangs with one file stored.
    let hanging = Signal()
    private let behaviour: Behaviour
    private let count = Mutex(0)

    init(_ behaviour: Behaviour = .works) { self.behaviour = behaviour }

    var refusal: AttachmentFailure? {
        behaviour == .refuses ? AttachmentFailure(.store, .publishFailed, "The bucket is not there.") : nil
    }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        let number = count.withLock { count in
            count += 1
            return count
        }
        switch behaviour {
        case .works: break
        case .fails, .refuses: throw AttachmentFailure(.store, .storeFull, "The store is full.")
        case .hangs: await Signal().hang()
        case .storesOne where number > 1:
            hanging.send()
            await Signal().hang()
        case .storesOne: break
        }
        return StoredFile(identifier: "\(number)", url: "file:///store/\(number).jpg", sha256: "00")
    }

    func renew(_ stored: StoredFile) async -> StoredFile? { stored }
}
