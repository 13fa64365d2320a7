import App
import ArgumentParser
import Base
import Foundation
import LoadTest
import Media
import Settings

/// A worker and an origin for one load test. They write only to one temporary folder.
final class SpawnedTarget {
    private static let timeLimit = Duration.seconds(30)

    private let options: SpawnOptions
    private let folder: URL
    private let media: SpawnedMedia
    private var programs: [SpawnedProgram] = []
    private var worker: SpawnedProgram?
    private var port = ""
    private var origin = ""

    init(_ options: SpawnOptions) async throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "attachd-loadtest-\(UUID().uuidString)")
        let mediaFolder = folder.appending(path: "media")
        try FileManager.default.createDirectory(at: mediaFolder, withIntermediateDirectories: true)
        media = try SpawnedMedia(options.media, in: mediaFolder)
        try await undoing({ await stop() }) {
            try await startOrigin(mediaFolder)
            try await startWorker()
        }
    }

    func target() async throws -> OpenTarget {
        let sources = media.files.map { file in file.map { origin + $0 } }
        let memory = worker.map { ResidentMemory.process($0.identifier) }
        guard options.through != .queue, let route = SidecarTarget.Route(rawValue: "/v1/\(options.through.rawValue)")
        else {
            return try await .queue(options.queue ?? Secret(""), nil, sources, memory: memory)
        }
        return try .sidecar("http://127.0.0.1:\(port)\(route.rawValue)", sources, memory: memory)
    }

    /// Ends both processes and removes their files.
    func stop() async {
        for program in programs.reversed() { await program.stop() }
        try? FileManager.default.removeItem(at: folder)
    }

    private func startOrigin(_ media: URL) async throws {
        let rules = options.rule.flatMap { ["--rule", $0] }
        let program = try await start(["origin", media.path, "--listen", "127.0.0.1:0"] + rules, log: "origin.log")
        origin = try await program.output(matching: /(http:\/\/[0-9.:]+\/)\n/, within: Self.timeLimit)
    }

    private func startWorker() async throws {
        var arguments = [
            "serve", "--listen", "127.0.0.1:0", "--store", folder.appending(path: "store").path,
            "--allow-address", "127.0.0.0/8", "--log-format", "json",
        ]
        if let decoders = options.decoders { arguments += ["--decoders", "\(decoders)"] }
        if let config = options.config { arguments += ["--config", config] }
        let secrets = options.queue.map { ["ATTACHD_QUEUE": $0] } ?? [:]
        let program = try await start(arguments, secrets: secrets, log: "worker.log")
        worker = program
        port = try await program.output(matching: /"port":"([0-9]+)"/, within: Self.timeLimit)
    }

    private func start(
        _ arguments: [String],
        secrets: [String: Secret<String>] = [:],
        log: String,
    ) async throws -> SpawnedProgram {
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = try await SpawnedProgram(path, arguments, secrets: secrets, log: folder.appending(path: log))
        programs.append(program)
        return program
    }
}

// MARK: - Options

/// The options of the worker and the origin that a load test starts.
struct SpawnOptions: ParsableArguments {
    /// The way of notifications to a worker.
    enum Way: String, CaseIterable, ExpressibleByArgument {
        case notifications, rewrite, jobs, queue
    }

    @Flag(help: "Start a worker, an origin and a store for the test, and remove them afterwards.")
    var spawn = false
    @Option(
        help: "How to reach the worker: the route notifications, rewrite or jobs, or queue to use --queue directly."
    )
    var through = Way.notifications
    @Option(
        help: "The worker's queue, such as redis://127.0.0.1:6379. (default: a file in its store)",
        completion: .list(Settings.table.queue.declaration.words)
    )
    var queue: Secret<String>?
    @Option(
        help: "A media file, or a folder of them, as WEIGHT:PATH or PATH; may be repeated. (default: tiny samples)",
        completion: .file()
    )
    var media: [String] = []
    @Option(help: "A rule of the origin, such as '*.mp4 bandwidth=50kB/s&latency=200ms'; may be repeated.")
    var rule: [String] = []
    @Option(help: "The number of the worker's decoder processes. (default: the number of cores)")
    var decoders: Int?
    @Option(help: "The worker's configuration file.", completion: .file())
    var config: String?

    /// The settings of the worker and the origin, which decide the figures.
    var settings: RunSettings {
        var settings = RunSettings()
        settings["--spawn"] = "on"
        settings["--through"] = through.rawValue
        settings["--queue"] = queue.map { String($0.revealed.prefix { $0 != ":" }) }
        settings["--media"] = media.isEmpty ? nil : media.joined(separator: " ")
        settings["--rule"] = rule.isEmpty ? nil : rule.joined(separator: " ")
        settings["--decoders"] = decoders.map { "\($0)" }
        if let config {
            let text = FileManager.default.contents(atPath: config).map { String(decoding: $0, as: UTF8.self) }
            settings.record(digestOf: [text ?? ""], as: "--config")
        }
        return settings
    }

    func validate() throws {
        guard through != .queue || queue != nil else {
            throw ValidationError(
                "--through queue needs --queue redis://…. Use --through jobs for a queue in a file."
            )
        }
    }
}

// MARK: - Files

/// The files that the spawned origin serves: copies of the given files, or samples.
struct SpawnedMedia {
    /// The names of the files in the origin's folder.
    let files: [Weighted<String>]

    init(_ paths: [String], in folder: URL) throws {
        guard !paths.isEmpty else {
            files = try SampleMedia.files.map { name, bytes in
                try Data(bytes).write(to: folder.appending(path: name))
                return Weighted(name)
            }
            return
        }
        var files: [Weighted<String>] = []
        for path in paths.map({ Weighted(text: $0) }) {
            let found = try Self.files(at: path.value)
            for file in found {
                let name = "\(files.count)-\(file.lastPathComponent)"
                try FileManager.default.copyItem(at: file, to: folder.appending(path: name))
                let escaped = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
                files.append(Weighted(escaped, weight: path.weight / Double(found.count)))
            }
        }
        self.files = files
    }

    /// Returns the file itself, or all media files of the folder.
    private static func files(at path: String) throws -> [URL] {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let values = try? url.resourceValues(forKeys: [.isDirectoryKey])
        guard let values else {
            throw CommandError(.inputNotFound, "\(path) cannot be read. Check its name and permissions.")
        }
        guard values.isDirectory == true else { return [url] }
        let options = FileManager.DirectoryEnumerationOptions.skipsHiddenFiles
        let all = try FileManager.default.contentsOfDirectory(
            at: url,
            includingPropertiesForKeys: [.isRegularFileKey],
            options: options,
        )
        let files = all.filter(isMedia)
        guard !files.isEmpty else { throw CommandError(.inputNotFound, "\(path) has no media files.") }
        return files.sorted { $0.path < $1.path }
    }

    private static func isMedia(_ file: URL) -> Bool {
        guard (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true,
            let handle = try? FileHandle(forReadingFrom: file),
            let beginning = try? handle.read(upToCount: MediaSniffer.byteCount)
        else { return false }
        return MediaSniffer.format(of: [UInt8](beginning).span) != nil
    }
}
