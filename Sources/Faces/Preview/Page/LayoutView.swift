/// The frame in which a content extension's view is shown.
struct LayoutView {
    var category: String
    /// The initial ratio of height to width.
    var ratio: Double
    var isInteractive: Bool
    var overridesTitle: Bool
    var hidesDefaultContent: Bool
}
