import Foundation
import LoadTest
import Media
import Values

/// A worker and an origin for one load test. They write only to one temporary folder.
final class SpawnedTarget {
    private static let patience = Duration.seconds(30)

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
        do {
            try await startOrigin(mediaFolder)
            try await startWorker()
        } catch {
            await stop()
            throw error
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
        origin = try await program.output(matching: /(http:\/\/[0-9.:]+\/)\n/, within: Self.patience)
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
        port = try await program.output(matching: /"port":"([0-9]+)"/, within: Self.patience)
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
