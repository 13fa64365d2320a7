import NIOCore
package import Values

/// The error of an address that a server cannot listen on.
package struct ListenError: Error, Sendable {
    package var address: HostAndPort
    /// The cause, as in errno(3).
    package var code: CInt

    /// Calls `serve`, which listens on `address`, and gives errors of listening that address.
    static func located(at address: HostAndPort, _ serve: () async throws -> Void) async throws {
        do {
            try await serve()
        } catch let error as IOError {
            throw ListenError(address: address, code: error.errnoCode)
        }
    }
}
