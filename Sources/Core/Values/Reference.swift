/// A value behind a reference, for tables with many copies of a large one. Equal values are equal, wherever they stand.
package final class Reference<Value: Hashable & Sendable>: Hashable, Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (left: Reference, right: Reference) -> Bool {
        left === right || left.value == right.value
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
