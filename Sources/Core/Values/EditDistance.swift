/// The distance between two spellings of a word.
package enum EditDistance {
    /// Returns the number of elements to add, remove or replace (Levenshtein). The time grows with the product of both lengths.
    package static func between<Element: Equatable>(
        _ source: some Collection<Element>,
        _ target: some Collection<Element>,
    ) -> Int {
        var row = Array(0...target.count)
        for (index, element) in source.enumerated() {
            var previous = row[0]
            row[0] = index + 1
            for (column, other) in target.enumerated() {
                let replaced = previous + (element == other ? 0 : 1)
                previous = row[column + 1]
                row[column + 1] = min(replaced, previous + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
