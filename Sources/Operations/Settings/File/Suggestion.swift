import Values

/// Suggestions for misspelled names.
enum Suggestion {
    /// Returns the nearest of `candidates`; `nil` if none is close enough.
    static func nearest(to text: String, among candidates: [String]) -> String? {
        let distances = candidates.map { ($0, EditDistance.between(text.lowercased(), $0.lowercased())) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(2, text.count / 3) else {
            return nil
        }
        return nearest
    }
}
