package import HTTPClient
package import Timing

/// The bucket to which files are published, and its credentials.
package struct PublishingSettings: Sendable {
    package var address: BucketAddress
    package var credentials: CredentialsSource
    /// The settings of requests to the store. Because the operator names the store, it may have any address.
    package var requests = HTTPSettings()
    /// The rule for suspending requests after failures.
    package var breaker = CircuitBreaker.Rule()

    package init(address: BucketAddress, credentials: CredentialsSource, authoritiesFile: String? = nil) {
        self.address = address
        self.credentials = credentials
        requests.addresses = .everywhere
        requests.authoritiesFile = authoritiesFile
    }
}
