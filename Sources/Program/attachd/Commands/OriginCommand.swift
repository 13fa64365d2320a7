import ArgumentParser
import Base
import Foundation
import LoadTest
import Media
import Settings

struct OriginCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "origin",
        abstract: "Serves a folder over HTTP for tests, with faults on request.",
        discussion: """
            Faults are given in a request's query, such as /photo.jpg?latency=200ms&status=503@10%, or by rules for \
            paths. A fault may end with the share of requests that it applies to. The random choice depends on the \
            seed, the URL and the number of earlier requests for it, so that a run can be repeated. The parameter n \
            has no effect: it makes URLs distinct. Every method gets the file. Links are not followed.

            \(table)
            """,
    )

    /// The table of faults, one a line, in aligned columns.
    private static var table: String {
        TextColumns.text(
            Fault.kinds.map { [$0.example, $0.meaning] } + [
                ["seed=7", "choose other requests for faults with a share"]
            ]
        )
    }

    @Argument(help: "The folder to serve.", completion: .directory)
    var folder: String
    @Option(help: "The HOST:PORT to listen on. Port 0 chooses a free port.")
    var listen = "127.0.0.1:8081"
    @Option(help: "A pattern of paths and its faults, such as '*.mp4 bandwidth=50kB/s&latency=200ms'; may be repeated.")
    var rule: [String] = []
    @Option(help: "A YAML or JSON file: a list \"rules\" of \"path\" and \"faults\".", completion: .file())
    var rules: String?
    @Option(help: "The seed of the random choice of faults that have a share.")
    var seed: UInt64 = 1
    @Option(help: "The PEM file of a certificate and its chain, for HTTPS.", completion: .file())
    var certificate: String?
    @Option(help: "The PEM file of the certificate's key.", completion: .file())
    var key: String?
    @Option(help: "The delay of each TLS handshake, such as 2s.")
    var tlsDelay: String?
    @Flag(help: "Print a line for each answer: the method, the URL, the status and the size of the body in bytes.")
    var log = false

    func perform() async throws {
        let files: OriginFolder
        do throws(OriginFolder.ReadError) {
            files = try OriginFolder(folder)
        } catch {
            throw CommandError(.inputNotFound, error.description)
        }
        let configuration = try configuration()
        let origin: MisbehavingOrigin
        do {
            origin = try await MisbehavingOrigin(files, configuration)
        } catch {
            throw CommandError(.failure, "Cannot listen on \(listen): \(error)")
        }
        let scheme = certificate == nil ? "http" : "https"
        // The starting program waits for this line.
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        FileHandle.standardOutput.write(Data("\(scheme)://\(host):\(origin.port)/\n".utf8))
        try await Signals.untilToldToStop { try await origin.run() }
    }

    private func configuration() throws -> MisbehavingOrigin.Configuration {
        var configuration = MisbehavingOrigin.Configuration()
        guard let address = HostAndPort(listen) else {
            throw CommandError(.badConfiguration, "--listen \(listen) is not an address. Write it as 127.0.0.1:8081.")
        }
        configuration.host = address.host
        configuration.port = address.port
        configuration.seed = seed
        do throws(FaultSyntaxError) {
            if let rules { configuration.rules = try RuleFile(rules).rules }
            for text in rule { configuration.rules.append(try FaultRule(text)) }
        } catch {
            throw CommandError(.badConfiguration, error.description)
        }
        switch (certificate, key) {
        case (let chain?, let key?): configuration.certificate = (chain, key)
        case (nil, nil): break
        default: throw CommandError(.badConfiguration, "Use --certificate and --key together.")
        }
        if let tlsDelay {
            guard let delay = DurationText.parse(tlsDelay), certificate != nil else {
                throw CommandError(
                    .badConfiguration,
                    "Give --tls-delay as a duration such as 2s, together with --certificate."
                )
            }
            configuration.tlsDelay = delay
        }
        if log {
            configuration.recorder = ExchangeLog()
        }
        return configuration
    }
}

/// The log of `attachd origin`: a line for each answer.
private struct ExchangeLog: EventRecorder {
    func record(_ exchange: OriginExchange) {
        let line = "\(exchange.method) \(exchange.target) \(exchange.status) \(exchange.sentByteCount)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
}
