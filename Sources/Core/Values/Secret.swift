/// A value that no description, log line or dump shows: a token, a key, a password.
///
/// A type that holds a secret holds it as one of these. Then the type itself can be described: loggers, service groups and
/// debuggers describe what they are given, with everything in it.
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
