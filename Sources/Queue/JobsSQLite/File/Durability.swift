/// The durability of acknowledged changes when the power fails. A killed process never loses any.
package enum Durability: String, Sendable, CaseIterable {
    /// Changes since the last checkpoint may be lost. Suited to jobs that live for seconds.
    case normal
    /// No change is lost. Every commit waits for the disk.
    case full
}
