/// The identity of sources: what work, results and records of them are kept under.
///
/// It is the URL without the parts that the operator's rules ignore and, for a source that needs access, the key of that
/// access: nothing that was fetched with one key is found under another, or without one (SECURITY N13).
package struct SourceIdentity: Sendable {
    private let rules: [SourceRule]
    private let accessKey: @Sendable (String) -> String?

    /// Creates the identity. `accessKey` returns the key of the access to the source at a URL.
    package init(rules: [SourceRule], accessKey: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.rules = rules
        self.accessKey = accessKey
    }

    /// Returns the identity of the source at `url`.
    package func source(of url: String) -> String {
        let source = rules.source(of: url)
        return accessKey(url).map { "\($0)\n\(source)" } ?? source
    }
}
