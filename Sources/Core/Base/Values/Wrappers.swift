import Synchronization

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

/// A value that may be replaced while it is in use, such as reloaded keys. Its description does not reveal the value.
package final class Replaceable<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    private let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }

    package var current: Value { value.withLock(\.self) }

    /// Replaces the value. Returns whether the new value differs.
    package func replace(with newValue: Value) -> Bool where Value: Equatable {
        value.withLock { value in
            defer { value = newValue }
            return value != newValue
        }
    }

    package var description: String { "a value that may be replaced" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value behind a reference, for tables with many copies of a large value. Compares values, not references.
package final class Reference<Value: Hashable & Sendable>: Hashable, Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (left: Reference, right: Reference) -> Bool {
        left === right || left.value == right.value
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
