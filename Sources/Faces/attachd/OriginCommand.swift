import App
import ArgumentParser
import Foundation
import Media
import TestOrigin
import Timing

struct OriginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "origin",
        abstract: "Serves a folder over HTTP as badly as it is told to, for tests.",
        discussion: """
            Faults stand in a request's query, such as /photo.jpg?latency=200ms&status=503@10%, or in rules for paths. \
            Each may end with a share of the requests that it strikes. What is drawn depends on the seed, the URL and \
            how often it was asked for, so that a run can be repeated. A parameter n means nothing: it makes URLs \
            distinct. Every method gets the file. Links are not followed.

            \(table)
            """,
    )

    /// Aligned, a fault a line.
    private static var table: String {
        let width = Fault.table.map(\.example.count).max() ?? 0
        return Fault.table.map { row in
            row.example + String(repeating: " ", count: width + 2 - row.example.count) + row.meaning
        }
        .joined(separator: "\n")
    }

    @Argument(help: "The folder to serve.")
    var folder: String
    @Option(help: "HOST:PORT; port 0 takes a free one.")
    var listen = "127.0.0.1:8081"
    @Option(help: "Faults for the paths of a pattern: '*.mp4 bandwidth=50kB/s&latency=200ms'; may be repeated.")
    var rule: [String] = []
    @Option(help: "A YAML or JSON file: a list \"rules\" of \"path\" and \"faults\".")
    var rules: String?
    @Option(help: "Which lots are drawn for faults that have a share.")
    var seed: UInt64 = 1
    @Option(help: "The PEM file of a certificate and its chain: HTTPS.")
    var certificate: String?
    @Option(help: "The PEM file of its key.")
    var key: String?
    @Option(help: "Hold each TLS handshake back for so long.")
    var tlsDelay: String?
    @Flag(help: "Print a line for each answer: method, URL, status, bytes of the body.")
    var log = false

    func run() async throws {
        try await CommandError.reported {
            let files: OriginFolder
            do throws(OriginFolder.Failure) {
                files = try OriginFolder(folder)
            } catch {
                throw CommandError(.inputNotFound, error.description)
            }
            let configuration = try configuration()
            let origin: MisbehavingOrigin
            do {
                origin = try await MisbehavingOrigin(files, configuration)
            } catch {
                throw CommandError(.failure, "\(listen) cannot be listened on: \(error)")
            }
            let scheme = certificate == nil ? "http" : "https"
            // Whoever started this waits for the line.
            let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
            FileHandle.standardOutput.write(Data("\(scheme)://\(host):\(origin.port)/\n".utf8))
            try await Signals.untilToldToStop { try await origin.run() }
        }
    }

    private func configuration() throws -> MisbehavingOrigin.Configuration {
        var configuration = MisbehavingOrigin.Configuration()
        guard let address = HostAndPort(listen) else {
            throw CommandError(.badConfiguration, "--listen \(listen): write it as 127.0.0.1:8081.")
        }
        configuration.host = address.host
        configuration.port = address.port
        configuration.seed = seed
        do throws(FaultError) {
            if let rules { configuration.rules = try RuleFile(rules).rules }
            for text in rule { configuration.rules.append(try FaultRule(text)) }
        } catch {
            throw CommandError(.badConfiguration, error.description)
        }
        switch (certificate, key) {
        case (let chain?, let key?): configuration.certificate = (chain, key)
        case (nil, nil): break
        default: throw CommandError(.badConfiguration, "--certificate and --key go together.")
        }
        if let tlsDelay {
            guard let delay = DurationText.parse(tlsDelay), certificate != nil else {
                throw CommandError(
                    .badConfiguration,
                    "--tls-delay is a duration such as 2s, and goes with --certificate."
                )
            }
            configuration.tlsDelay = delay
        }
        if log {
            configuration.observe = { exchange in
                let line = "\(exchange.method) \(exchange.target) \(exchange.status) \(exchange.sentByteCount)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            }
        }
        return configuration
    }
}
