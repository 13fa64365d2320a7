import HTTPClient
import Media

/// The operator's rules about sources, in order. The first that is for a source counts.
package struct AccessTable: Sendable {
    package var rules: [AccessRule]

    package init(_ rules: [AccessRule] = []) { self.rules = rules }

    /// Returns the rule for the source at `url` as the sender gave it, or `nil` if there is none.
    package func rule(for url: String) -> AccessRule? { rules.isEmpty ? nil : (try? target(of: url))?.rule }

    /// Returns the key of the access with which the source at `url` is fetched, or `nil` without one.
    package func key(for url: String) -> String? { rule(for: url)?.key }

    /// Returns what to ask for the source at `url`. Throws if nothing may be asked: above all for an object of a bucket
    /// without a rule, so that no payload makes attachd use its credentials.
    func target(of text: String) throws(DownloadURL.ParseError) -> SourceTarget {
        guard ObjectReference.isOne(text) else {
            let url = try DownloadURL(text)
            return SourceTarget(url: url, askedHost: url.host, rule: rules.first { $0.isFor(url) })
        }
        guard text.utf8.count <= DownloadURL.byteLimit else {
            throw .invalid("it is longer than \(DownloadURL.byteLimit) bytes")
        }
        let object = try ObjectReference(text)
        for rule in rules {
            guard case .objects(let address) = rule.match, let url = object.url(in: address) else { continue }
            // The name of the endpoint is the operator's. The sender knows the bucket's.
            return SourceTarget(url: try DownloadURL(url), askedHost: "s3://\(object.bucket)", rule: rule)
        }
        throw DownloadURL.ParseError(reason: .refusedScheme, text: "no rule for sources allows its bucket")
    }
}

/// A source as it is asked for.
struct SourceTarget {
    var url: DownloadURL
    /// The name of the source's host in messages.
    var askedHost: String
    var rule: AccessRule?
}
