/// What is left of acknowledged changes when the power fails. A killed process never loses any.
package enum Durability: String, Sendable, CaseIterable {
    /// Those since the last checkpoint may be lost. Right for jobs that live for seconds.
    case normal
    /// None are lost, at the price of waiting for the disk at every commit.
    case full
}
