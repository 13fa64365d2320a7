package import Base
import Glibc
package import Media

/// A message to a server that is not an origin of a source.
package struct OutgoingMessage: Sendable {
    package enum Action: Sendable {
        case get
        case post([UInt8])
        case put(Upload)
        case delete
    }

    package var action: Action
    /// The names and values of header fields in addition to those of every request.
    package var headers: [String: String]
    /// The names and values of the header fields that authorize the request.
    package var secretHeaders: [String: Secret<String>] = [:]
    /// The lines of further header fields that authorize the request.
    package var secretLines: [Secret<String>] = []
    /// The signature of the request, if it needs one. Only for the operator's own servers.
    package var signature: SignatureV4?

    package init(_ action: Action, headers: [String: String], signature: SignatureV4? = nil) {
        self.action = action
        self.headers = headers
        self.signature = signature
    }

    /// Creates a message: a POST if there is a body, else a GET.
    package init(body: [UInt8]? = nil, headers: [String: String]) {
        self.init(body.map { .post($0) } ?? .get, headers: headers)
    }

    /// The header fields as lines. A value that would begin another line is left out: it may come from the producer of
    /// a job.
    var headerFields: [String] {
        headers.merging(secretHeaders.mapValues(\.revealed)) { $1 }.sorted { $0.key < $1.key }
            .filter { !"\($0.key)\($0.value)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
            .map { "\($0.key): \($0.value)" } + secretLines.map(\.revealed)
    }
}

extension Range<Int> {
    /// The range as a request has it: its first and its last byte.
    package var headerText: String { "\(lowerBound)-\(upperBound - 1)" }
}

// MARK: - Uploads

/// The body of a PUT: bytes, or the beginning of an output, which is read while it is sent.
package enum Upload: Sendable {
    case bytes([UInt8])
    case file(OutputFile, byteCount: Int)

    package var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let byteCount): byteCount
        }
    }

    /// Fills `buffer` with the bytes at `offset`. Returns `nil` if they cannot be read, or no longer exist.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = min(buffer.count, byteCount - offset)
        guard wanted > 0 else { return wanted == 0 ? 0 : nil }
        switch self {
        case .bytes(let bytes):
            unsafe buffer.copyBytes(from: bytes[offset..<offset + wanted])
            return wanted
        case .file(let file, _):
            let count = unsafe pread(file.descriptor, buffer.baseAddress, wanted, off_t(offset))
            return count > 0 ? count : nil
        }
    }
}

// MARK: - Callbacks

/// The judgement of a callback's URL before anything is posted to it.
package enum CallbackURL {
    /// Returns the reason why `text` can never be called, for a person: it is not a URL, it has another scheme, or it
    /// names an address that may not be dialled. Returns `nil` if it may be called, as far as that is known without
    /// resolving a name.
    package static func refusal(of text: String, _ addresses: AddressPolicy) -> String? {
        let url: DownloadURL
        do throws(DownloadURL.ParseError) {
            url = try DownloadURL(text)
        } catch {
            return error.text
        }
        // The reason is for the operator. A caller must not learn which kind of address a name has in this network.
        guard let address = IPAddress(url.host), addresses.refusal(of: address, port: url.port) != nil else {
            return nil
        }
        return "its address or port may not be dialled; see --allow-address"
    }

    /// Returns the reason as far as it is known without the worker's address policy.
    package static func refusal(of text: String) -> String? { refusal(of: text, .everywhere) }

    /// Returns the host, for a log line. The rest of the URL may be secret.
    package static func host(of text: String) -> String? { try? DownloadURL(text).host }
}
