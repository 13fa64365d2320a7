// swift-format-ignore-file: NeverUseForceTry
@testable import Downloads
@testable import HTTPClient
import Media

/// The bodies and cookies of untidy origins.
enum BodyTargets {
    /// Decodes a body whose first byte chooses its form and the size of its pieces.
    static func body(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        func decoder() -> any BodyDecoder {
            switch first % 3 {
            case 0: ContentDecoder(.gzip)
            case 1: ContentDecoder(.deflate)
            default: FirstPartDecoder()
            }
        }
        let whole = decoded(body, decoder(), pieceSize: max(1, body.count))
        let inPieces = decoded(body, decoder(), pieceSize: Int(first / 3) + 1)
        // Whether a broken body yields bytes first depends on the pieces.
        precondition(whole.isBroken || inPieces.isBroken || whole.bytes == inPieces.bytes)
    }

    private static func decoded(_ body: [UInt8], _ first: any BodyDecoder, pieceSize: Int) -> (
        bytes: [UInt8], isBroken: Bool
    ) {
        var (decoder, rest, bytes, isLast) = (first, body[...], [UInt8](), false)
        while true {
            switch decoder.step(isLast: isLast) {
            case .bytes(let more): bytes += more
            case .ended: return (bytes, false)
            case .broken: return (bytes, true)
            case .needsInput where isLast: return (bytes, !decoder.isWhole)
            case .needsInput:
                isLast = rest.isEmpty
                decoder.add(Array(rest.prefix(pieceSize)))
                rest = rest.dropFirst(pieceSize)
            }
        }
    }

    /// Takes each line as a cookie, and checks what goes back.
    static func cookies(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
        let url = try! DownloadURL("https://a.example/b/c")
        var jar = CookieJar()
        jar.store(lines, from: url)
        precondition(jar.field(for: try! DownloadURL("https://b.example/b/c")) == nil)
        guard let field = jar.field(for: url) else { return }
        precondition(field.utf8.count <= CookieJar.byteLimit + 4 * CookieJar.countLimit)
        precondition(field.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }
}
