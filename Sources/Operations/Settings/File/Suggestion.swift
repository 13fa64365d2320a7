/// Suggestions for misspelled names.
enum Suggestion {
    /// Returns the nearest of `candidates`; `nil` if none is close enough.
    static func nearest(to text: String, among candidates: [String]) -> String? {
        let distances = candidates.map { ($0, distance(from: text.lowercased(), to: $0.lowercased())) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(2, text.count / 3) else {
            return nil
        }
        return nearest
    }

    /// Returns the number of letters to add, remove, or replace (Levenshtein distance).
    private static func distance(from source: String, to target: String) -> Int {
        var row = Array(0...target.count)
        for (index, letter) in source.enumerated() {
            var previous = row[0]
            row[0] = index + 1
            for (column, other) in target.enumerated() {
                let replaced = previous + (letter == other ? 0 : 1)
                previous = row[column + 1]
                row[column + 1] = min(replaced, previous + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
