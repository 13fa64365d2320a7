import Media
import Names

/// The judgement of a callback's URL before anything is posted to it.
package enum CallbackURL {
    /// Returns the reason why `text` can never be called, for a person: it is not a URL, it has another scheme, or it
    /// names an address that may not be dialled. Returns `nil` if it may be called, as far as that is known without
    /// resolving a name.
    package static func refusal(of text: String, _ addresses: AddressPolicy) -> String? {
        let url: DownloadURL
        do throws(DownloadURL.ParseError) {
            url = try DownloadURL(text)
        } catch {
            return error.text
        }
        // The reason is for the operator. A caller who names an address must not learn what it is here.
        guard let address = IPAddress(url.host), addresses.refusal(of: address, port: url.port) != nil else {
            return nil
        }
        return "its address or port may not be dialled; see --allow-address"
    }

    /// Returns the reason as far as it is known without the worker's address policy.
    package static func refusal(of text: String) -> String? { refusal(of: text, .everywhere) }

    /// Returns the host, for a log line. The rest of the URL may be secret.
    package static func host(of text: String) -> String? { try? DownloadURL(text).host }
}
