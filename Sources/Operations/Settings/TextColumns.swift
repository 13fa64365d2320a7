import Foundation

/// Rows as lines of text, with the cells of each column aligned.
enum TextColumns {
    static func text(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).dropLast().map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return (cells + [row.last ?? ""]).joined(separator: "  ")
        }
        .joined(separator: "\n")
    }
}
