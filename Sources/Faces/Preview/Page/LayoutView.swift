/// The frame in which a content extension's view is shown.
struct LayoutView {
    var category: String
    /// Height by width, at which it opens.
    var ratio: Double
    var isInteractive: Bool
    var overridesTitle: Bool
    var hidesDefaultContent: Bool
}
