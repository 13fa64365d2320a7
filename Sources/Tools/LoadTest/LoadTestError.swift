/// The reason why a load test did not run, or has no meaningful result.
package struct LoadTestError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The arguments are not valid.
        case usage
        /// The load test could not be carried out.
        case failure
    }

    package var kind: Kind
    package var description: String

    package static func usage(_ message: String) -> LoadTestError { .init(kind: .usage, description: message) }
    package static func failure(_ message: String) -> LoadTestError { .init(kind: .failure, description: message) }
}
