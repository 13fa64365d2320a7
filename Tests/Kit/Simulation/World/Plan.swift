import Jobs

/// Everything that happens in a run from outside: jobs, faults, and the machines. It follows from the seed, and a failing
/// run is shrunk by leaving out parts of it.
struct Plan: Sendable {
    struct Worker: Sendable {
        var clock: MachineClock
        var slots: Int
        var decoders: Int
        /// The number of decoder processes that wait for their jobs.
        var spares: Int
    }

    struct Task: Sendable {
        var id: String
        var at: Duration
        var tenant: String
        var priority: Job.Priority
        var timeLimit: Duration
        var source: Source
        var profile: String?
        var hasCallback = false
        /// The time from its arrival to a second one under the same name; `nil` for none.
        var again: Duration?
        /// The time from its arrival to its cancellation; `nil` for none.
        var cancelled: Duration?
    }

    /// A deletion, which a worker is asked for.
    struct Forget: Sendable {
        var at: Duration
        var source: Source
        /// A Boolean value that indicates whether it names a file of the source, and not the source.
        var namesFile: Bool
    }

    var seed: UInt64
    var workers: [Worker]
    var tasks: [Task]
    var faults: [Fault]
    var forgets: [Forget] = []
    /// A Boolean value that indicates whether more jobs come at the end, which must all succeed.
    var triesRecovery: Bool
    /// A Boolean value that indicates whether these jobs need nearly all memory of the decoders.
    var recoversWithLarge = false
}

/// A source at an origin. Its name says what it is.
struct Source: Sendable, Hashable {
    enum Content: String, Sendable, CaseIterable {
        case jpeg, png, gif, mp4
        /// Not a picture, whatever its name says.
        case junk
        /// A picture that kills its decoder.
        case crash
        /// A picture whose decoder never ends.
        case endless
        /// A picture whose decoder claims what is not true.
        case lie
        /// A picture over which the whole worker dies.
        case deadly
        /// A picture that only its client may use.
        case personal
    }

    var origin: Int
    var content: Content
    var number: Int
    var byteCount: Int

    var url: String { "https://\(Self.host(origin))/\(content.rawValue)/\(number)/\(byteCount).jpg" }

    /// Two origins belong to each site.
    static func host(_ origin: Int) -> String { "o\(origin).site\(origin / 2).example" }

    init(origin: Int, content: Content, number: Int, byteCount: Int) {
        (self.origin, self.content, self.number, self.byteCount) = (origin, content, number, byteCount)
    }

    /// Creates a picture that needs nearly all memory of the decoders.
    init(large number: Int, origin: Int) {
        self.init(origin: origin, content: .jpeg, number: number * 3 + 2, byteCount: 4000)
    }

    init?(_ url: String) {
        let parts = url.split(separator: "/")
        guard parts.count == 5, let host = parts[1].split(separator: ".").first, let origin = Int(host.dropFirst()),
            let content = Content(rawValue: String(parts[2])), let number = Int(parts[3]),
            let count = Int(parts[4].dropLast(4))
        else { return nil }
        self.init(origin: origin, content: content, number: number, byteCount: count)
    }

    /// The bytes of the source: the beginning of its format, and then its own URL again and again.
    func bytes(version: Int) -> [UInt8] {
        let start: [UInt8] =
            switch content {
            case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            case .gif: Array("GIF89a".utf8)
            case .mp4: [0, 0, 0, 20] + Array("ftypisom".utf8) + [0, 0, 0, 0] + Array("isom".utf8)
            case .junk: Array("<html>".utf8)
            default: [0xFF, 0xD8, 0xFF, 0xE0]
            }
        let line = Array(" \(url) \(version)\n".utf8)
        var bytes = start
        while bytes.count < byteCount { bytes += line.prefix(byteCount - bytes.count) }
        return bytes
    }
}
