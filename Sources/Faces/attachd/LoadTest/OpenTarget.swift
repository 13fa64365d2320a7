import App
import Settings
import Foundation
import LoadTest
import Logging
import Media
import Values

/// An open target of a load test.
struct OpenTarget {
    var target: any LoadTarget
    var name: String
    var sources: [Weighted<String>]
    var memory: ResidentMemory?
    var close: () async -> Void

    /// Opens a sidecar. The path of the URL selects the route.
    static func sidecar(
        _ text: String,
        token tokenFile: String? = nil,
        authorities: String? = nil,
        _ sources: [Weighted<String>],
        memory: ResidentMemory? = nil,
    ) throws -> OpenTarget {
        let path = URL(string: text)?.path() ?? ""
        let route = ["", "/"].contains(path) ? SidecarTarget.Route.notifications : SidecarTarget.Route(rawValue: path)
        guard let url = URL(string: text), let route else {
            let routes = SidecarTarget.Route.allCases.map(\.rawValue).joined(separator: ", ")
            throw LoadTestError.usage("The URL's path must be one of \(routes).")
        }
        let connections = try HTTPConnections(url, token: try tokenFile.map(token), authorities: authorities)
        return OpenTarget(
            target: SidecarTarget(connections, route),
            name: connections.base + route.rawValue,
            sources: sources,
            memory: memory ?? .metrics(connections),
            close: { await connections.shutDown() },
        )
    }

    /// Opens a queue.
    static func queue(
        _ url: Secret<String>,
        _ authorities: String?,
        _ sources: [Weighted<String>],
        memory: ResidentMemory?,
    ) async throws -> OpenTarget {
        var options: [SettingsKey: SettingsSource.Option] = [.queue: .secret(url)]
        if let authorities { options[.caFile] = .text(authorities) }
        let settings: Settings
        do {
            settings = try Settings(reading: SettingsSource(options: options, configurationFile: nil))
        } catch {
            throw CommandError(.badConfiguration, "\(error)")
        }
        let queue = try await OpenQueue.opened(settings)
        return OpenTarget(
            target: QueueTarget(queue.jobs),
            name: settings.queue.withoutSecrets,
            sources: sources,
            memory: memory,
            close: { await queue.shutDown() },
        )
    }

    private static func token(_ path: String) throws -> Secret<String> {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let token = text.split(whereSeparator: \.isNewline).first
        else {
            // The path is not repeated: it may be the token itself.
            let message = "The file of --api-token cannot be read. Give the path of a file with the token in one line."
            throw CommandError(.inputNotFound, message)
        }
        return Secret(String(token))
    }
}
