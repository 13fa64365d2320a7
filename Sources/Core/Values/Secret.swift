/// A value that no description, log line or dump shows: a token, a key, a password.
///
/// A type that keeps its secrets in this wrapper can be described safely: loggers, service groups and debuggers print
/// everything in the values that they are given.
package struct Secret<Value: Sendable>: Sendable {
    /// The value itself, for the code that signs, compares or sends it. Nothing else may keep it.
    package let revealed: Value

    package init(_ value: Value) { revealed = value }
}

extension Secret: Equatable where Value: Equatable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
