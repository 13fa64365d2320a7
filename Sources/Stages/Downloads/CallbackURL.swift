import Media

/// The judgement of a callback's URL before anything is posted to it.
package enum CallbackURL {
    /// Why `text` can never be called, for a person: it is no URL, it has another scheme, or it names an address that may
    /// not be dialled. `nil` if it may be, as far as that can be told without asking for the addresses of a name.
    package static func refusal(of text: String, _ addresses: AddressPolicy) -> String? {
        let url: DownloadURL
        do throws(DownloadURL.Problem) {
            url = try DownloadURL(text)
        } catch {
            return error.text
        }
        // Why is for the operator: who names an address isn't told what it is here.
        guard let address = IPAddress(url.host), addresses.refusal(of: address, port: url.port) != nil else {
            return nil
        }
        return "its address or port may not be dialled; see --allow-address"
    }

    /// As far as it can be told without knowing which addresses the worker may dial.
    package static func refusal(of text: String) -> String? { refusal(of: text, .everywhere) }

    /// The host, for a log line: the rest of the URL may be secret.
    package static func host(of text: String) -> String? { try? DownloadURL(text).host }
}
