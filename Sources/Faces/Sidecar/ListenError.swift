package import Values

/// The error of an address that a server cannot listen on.
package struct ListenError: Error, Sendable {
    package var address: HostAndPort
    /// The cause, as in errno(3).
    package var code: CInt
}
