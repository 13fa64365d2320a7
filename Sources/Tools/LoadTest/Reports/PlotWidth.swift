/// The two widths in which the report has each plot: for a desk, and for a phone, whose texts would be too small if a
/// plot were scaled down.
enum PlotWidth: Double, CaseIterable {
    case broad = 860
    case slim = 340

    /// The place for the marks of the vertical axis.
    var left: Double { self == .broad ? 70 : 58 }
    /// The place beside the end of the horizontal axis.
    var right: Double { self == .broad ? 32 : 12 }

    /// Returns a plot in both widths. The page's style shows one of them.
    static func both(_ svg: (PlotWidth) -> String) -> String {
        allCases.map { #"<div class="\#($0)">\#(svg($0))</div>"# }.joined()
    }
}
