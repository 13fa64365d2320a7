import Synchronization

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
