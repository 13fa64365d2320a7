package import Media
package import ServiceExtension
package import Timing

/// The step that fetches a source. `App` makes libcurl's downloader conform.
package protocol AttachmentDownloading: Sendable {
    /// Writes the source's bytes into the job's file, at least those that its readers want, and ends the file.
    ///
    /// Returns soon after somebody else has ended the file. Reports the head of each answer before any byte of that
    /// answer is in the file. A source without such heads is not shared.
    func download(_ job: DownloadJob) async

    /// Returns the key of the access with which the source at `url` is fetched; `nil` for one that everybody may fetch.
    /// What was fetched with access is used again only under the same key. It is the same in every process with the same
    /// rule, and contains no secret.
    func accessKey(of url: String) -> String?

    /// Returns the name of the origin of the source at `url`, which keeps apart what one owner's sources do: the host, with
    /// the tenant if the host has many. `nil` if the URL has no origin.
    func origin(of url: String) -> String?
}

extension AttachmentDownloading {
    package func accessKey(of url: String) -> String? { nil }

    package func origin(of url: String) -> String? { nil }
}

/// The step that converts a source. `App` makes the pool of decoder processes conform.
package protocol AttachmentConverting: Sendable {
    /// Returns the failure of every source of `format` if that is switched off, and `nil` otherwise.
    func refusal(of format: MediaFormat) -> AttachmentFailure?

    /// Converts a source. Reports its description and each output, and returns when nothing better will come.
    ///
    /// - Returns: The time that the decoder worked, without the time that it waited.
    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration
}

extension AttachmentConverting {
    package func refusal(of format: MediaFormat) -> AttachmentFailure? { nil }
}

/// The step that keeps delivered files. `App` makes the attachment store conform.
package protocol AttachmentStoring: Sendable {
    /// The time that storing nearly always takes in addition to moving a file on this machine.
    var cost: Duration { get }
    /// The reason why nothing can be stored now; `nil` if none is known without trying.
    var refusal: AttachmentFailure? { get }

    /// Moves an output to the location in the store that its URL leads to, and records its source, so that it can be
    /// removed together with the source's other files. Stores either all of it or nothing.
    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment

    /// The time from which the store may no longer have the file; `nil` if it has it for as long as it is renewed.
    func end(of stored: StoredAttachment) -> UnixTime?

    /// Has the file stored once more by the next notification that makes it.
    func release(_ stored: StoredAttachment)

    /// Removes a stored file.
    func forget(_ stored: StoredAttachment) async

    /// Extends the lifetime of a stored file as if it were stored now, and gives it a new URL. Returns `nil` if it no
    /// longer exists.
    func renew(_ stored: StoredAttachment) async -> StoredAttachment?
}

extension AttachmentStoring {
    package var cost: Duration { .zero }
    package var refusal: AttachmentFailure? { nil }

    package func end(of stored: StoredAttachment) -> UnixTime? { nil }

    package func release(_ stored: StoredAttachment) {}

    package func forget(_ stored: StoredAttachment) async {}
}
