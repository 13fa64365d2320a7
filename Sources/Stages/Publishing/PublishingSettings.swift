package import Downloads
package import Timing

/// Where files are published, and with whose rights.
package struct PublishingSettings: Sendable {
    package var address: BucketAddress
    package var credentials: CredentialsSource
    /// How requests to the store are made, and to nobody else: whoever runs attachd named the store, so it may have any
    /// address.
    package var requests = DownloadSettings()
    /// When the store is left alone.
    package var breaker = CircuitBreaker.Rule()

    package init(address: BucketAddress, credentials: CredentialsSource, authoritiesFile: String? = nil) {
        self.address = address
        self.credentials = credentials
        requests.addresses = .everywhere
        requests.authoritiesFile = authoritiesFile
    }
}
