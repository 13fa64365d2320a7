/// The rules for sharing work between notifications.
package struct ReuseRule: Sendable {
    /// The lifetime of a source whose origin does not give one. With 0, no source is used again, whatever its origin
    /// says.
    package var floor: Duration
    /// The rules for which URLs lead to the same source. The first rule that matches a URL counts.
    package var sources: [SourceRule]

    package init(floor: Duration = .seconds(60), sources: [SourceRule] = []) {
        self.floor = floor
        self.sources = sources
    }
}
