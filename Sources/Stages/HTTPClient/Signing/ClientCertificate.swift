package import Values

/// A certificate and its key, both in PEM form, with which attachd proves to an origin who asks.
package struct ClientCertificate: Sendable, Equatable {
    /// The certificate, and those that lead to its authority.
    package var chain: String
    package var key: Secret<String>

    package init(chain: String, key: Secret<String>) {
        self.chain = chain
        self.key = key
    }
}
