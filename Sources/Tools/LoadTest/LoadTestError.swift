/// Why there is no load test, or none whose result means anything.
package struct LoadTestError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// What was asked for makes no sense.
        case usage
        /// What was asked for could not be done.
        case failure
    }

    package var kind: Kind
    package var description: String

    package static func usage(_ message: String) -> LoadTestError { .init(kind: .usage, description: message) }
    package static func failure(_ message: String) -> LoadTestError { .init(kind: .failure, description: message) }
}
