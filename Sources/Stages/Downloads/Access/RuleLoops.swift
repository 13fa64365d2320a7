import Media
import Synchronization

/// The threads of transfers with access, one for each rule, started when they are first needed.
///
/// libcurl shares connections and resolved names among all transfers of a thread. With a thread of its own, no
/// connection that a rule's certificate or addresses opened serves anything but that rule.
final class RuleLoops: Sendable {
    private struct State {
        var loops: [String: TransferLoop] = [:]
        var isOpen = true
    }

    private let settings: DownloadSettings
    private let state = Mutex(State())

    init(settings: DownloadSettings) { self.settings = settings }

    /// Returns the loop for the requests with the access of a rule.
    func loop(for rule: AccessRule, _ access: SourceAccess) throws(AttachmentFailure) -> TransferLoop {
        try state.withLock { state throws(AttachmentFailure) in
            if let loop = state.loops[rule.name] { return loop }
            guard state.isOpen else {
                throw AttachmentFailure(.download, .cancelled, "The worker is stopping.")
            }
            let loop = try TransferLoop(settings: settings.settings(for: access))
            state.loops[rule.name] = loop
            return loop
        }
    }

    /// Cancels the running transfers and refuses later ones.
    func stop() {
        let loops = state.withLock { state in
            state.isOpen = false
            return state.loops.values
        }
        for loop in loops { loop.stop() }
    }
}

extension DownloadSettings {
    /// Returns the settings of transfers with the access of a rule.
    fileprivate func settings(for access: SourceAccess) -> DownloadSettings {
        var settings = self
        settings.name = "source rule"
        settings.certificate = access.certificate
        if !access.addresses.isEmpty {
            settings.addresses = .only(access.addresses)
            settings.resolve = { _ in access.addresses }
        } else if access.isEndpointNamed {
            settings.addresses = .everywhere
        }
        return settings
    }
}
