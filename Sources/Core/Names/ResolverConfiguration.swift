import Glibc

/// The options of resolv.conf(5) that glibc knows and c-ares 1.18 does not. c-ares itself reads servers, search domains,
/// `ndots` and `rotate`.
struct ResolverConfiguration: Equatable {
    /// The time for the first answer of a server.
    var answerTime: Duration?
    /// The number of times that each server is asked.
    var tries: Int?
    var usesTCP = false
    var asksForIPv6 = true

    init() {}

    /// Reads the file, and the environment variable that adds to it. A file that is missing has no options.
    init(file: String) {
        if let text = Self.text(at: file) { take(text) }
        if let options = unsafe getenv("RES_OPTIONS") { unsafe take(options: String(cString: options)) }
    }

    mutating func take(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            if words.count == 2, words[0] == "options" { take(options: words[1]) }
        }
    }

    /// Takes options over, with the bounds of resolv.conf(5): at most 30 seconds, and 5 attempts.
    private mutating func take(options: some StringProtocol) {
        for word in options.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: ":", maxSplits: 1)
            let number = parts.count == 2 ? Int(parts[1]) : nil
            switch (parts[0], number) {
            case ("timeout", let seconds?) where seconds > 0: answerTime = .seconds(min(seconds, 30))
            case ("attempts", let count?) where count > 0: tries = min(count, 5)
            case ("use-vc", _): usesTCP = true
            case ("no-aaaa", _): asksForIPv6 = false
            default: break
            }
        }
    }

    /// Returns at most 16 KiB of the file.
    private static func text(at path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var count = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, initialized in
            count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            initialized = max(0, count)
        }
        return count < 0 ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
