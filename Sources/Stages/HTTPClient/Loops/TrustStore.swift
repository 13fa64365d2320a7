import CCrypto
import CCurl
import Media
import Synchronization
import Timing

/// The certificate authorities that all connections trust: read once and shared by reference. Parsing them takes 10 to 20
/// ms, which libcurl would do again for each loop.
final class TrustStore: Sendable {
    /// OpenSSL's store. Its own lock protects it.
    @safe
    final class Authorities: @unchecked Sendable {
        let store: OpaquePointer

        /// Reads the file in PEM form, or the system's own, with the system's folder of authorities beside it. Returns `nil` if
        /// the file cannot be read.
        init?(file: String?) {
            guard let store = unsafe X509_STORE_new() else { return nil }
            unsafe self.store = store
            let bundle = unsafe ccurl_authorities_file().map { unsafe String(cString: $0) }
            let folder = unsafe ccurl_authorities_folder().map { unsafe String(cString: $0) }
            if let folder { unsafe X509_STORE_load_path(store, folder) }
            if let file = file ?? bundle, unsafe X509_STORE_load_file(store, file) != 1, file != bundle { return nil }
            // As libcurl sets up a store of its own.
            unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
        }

        deinit { unsafe X509_STORE_free(store) }
    }

    /// The time after which the files are read again: authorities are added and withdrawn.
    private static let lifetime: Duration = .seconds(86_400)

    private let file: String?
    private let time: any TimeSource
    private let present = Mutex<(authorities: Authorities, read: Instant)?>(nil)

    /// Creates a store that reads `file` at its first use; `nil` means the system's own authorities.
    init(file: String?, time: any TimeSource) {
        self.file = file
        self.time = time
    }

    /// Returns the authorities. Throws if their file cannot be read.
    func authorities() throws(AttachmentFailure) -> Authorities {
        try present.withLock { present throws(AttachmentFailure) in
            let now = time.now
            if let present, now - present.read < Self.lifetime { return present.authorities }
            guard let authorities = Authorities(file: file) else {
                let message = "The file of certificate authorities cannot be read."
                throw AttachmentFailure(.download, .tlsFailed, message)
            }
            present = (authorities, now)
            return authorities
        }
    }
}
