/// A variable of OpenTelemetry that attachd cannot follow.
package struct TraceSettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package var variable: String
    package var advice: String

    package var description: String { "\(variable): \(advice)" }
}
