// swift-format-ignore-file: NeverUseForceTry
import Media

@testable import Downloads
@testable import HTTPClient

enum AddressTargets {
    /// Parses two lines: a URL, and the target of its redirect.
    static func url(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 10, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        guard let first = lines.first, let url = try? DownloadURL(first) else { return }
        check(url)
        if lines.count > 1, let target = try? url.resolving(lines[1]) { check(target) }
    }

    /// Checks that the normalised text has the same parts: the checked address is the dialled one.
    private static func check(_ url: DownloadURL) {
        precondition(["http", "https"].contains(url.scheme) && !url.host.isEmpty && (0...65_535).contains(url.port))
        guard url.text.utf8.count <= DownloadURL.byteLimit else { return }
        let again = try! DownloadURL(url.text)
        precondition((again.scheme, again.host, again.port) == (url.scheme, url.host, url.port))
    }

    /// Checks that an address that may be dialled carries no address that may not.
    static func address(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let block = try? CIDR(text) { precondition(try! CIDR(block.description) == block) }
        guard let address = IPAddress(text) else { return }
        precondition(IPAddress(address.description) == address)
        let policy = AddressPolicy(own: [])
        guard policy.refusal(of: address, port: 443) == nil else { return }
        for carried in address.unmapped.embeddedIPv4 { precondition(policy.refusal(of: carried, port: 443) == nil) }
    }
}
