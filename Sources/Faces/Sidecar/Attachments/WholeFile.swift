import HTTPTypes
import NIOCore
import Storage
import Timing

/// A complete small file, with the header fields of its answer.
struct WholeFile {
    var headers: HTTPFields
    var bytes: ByteBuffer
    /// The route under which the answer is counted.
    var route: String
}

extension AttachmentsRoute {
    /// Returns the answer to a plain `GET` of a small file if its URL is valid without a hold and its bytes are in
    /// memory.
    func wholeFile(for head: HTTPRequest) -> WholeFile? {
        guard let parts = head.path?.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false),
            parts.count == 2, let name = parts[0].split(separator: "/").last,
            let identifier = AttachmentIdentifier(String(name))
        else { return nil }
        let (access, route): (SignedAccess?, String)
        switch parts[0].dropLast(name.count) {
        case "/v1/attachments/": (access, route) = (SignedAccess(query: String(parts[1])), Self.path)
        case "/a/": (access, route) = (SignedAccess(shortQuery: String(parts[1])), Self.shortPath)
        default: return nil
        }
        let now = now()
        guard let access, access.hold == nil, access.grants(identifier, by: signer, at: now),
            let hold = try? store.startAccessing(identifier)
        else { return nil }
        let answer = AttachmentAnswer(hold: hold, store: store, secondsLeft: access.expires - now.seconds)
        return answer.wholeFile(at: now, route: route)
    }
}

extension AttachmentAnswer {
    /// Returns the whole file, if it is small and in memory, with the fields that the server adds to other answers.
    fileprivate func wholeFile(at now: UnixTime, route: String) -> WholeFile? {
        guard let bytes = try? AttachmentBody(hold: hold, store: store, range: 0..<hold.byteCount).bytesInMemory
        else { return nil }
        var headers = headersOfFile
        headers[.contentLength] = String(bytes.readableBytes)
        headers[.date] = HTTPDate.text(now.seconds)
        headers[.server] = "attachd"
        return WholeFile(headers: headers, bytes: bytes, route: route)
    }
}
