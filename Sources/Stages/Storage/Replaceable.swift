import Synchronization

/// A value that may be replaced while others use it, such as keys that are read anew. Its description doesn't show it.
package final class Replaceable<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    private let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }

    package var current: Value { value.withLock(\.self) }

    /// Returns whether the value is another one now.
    package func replace(with newValue: Value) -> Bool where Value: Equatable {
        value.withLock { value in
            defer { value = newValue }
            return value != newValue
        }
    }

    package var description: String { "a value that may be replaced" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
