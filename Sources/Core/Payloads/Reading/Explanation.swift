/// The dialects that were used, and the reasons for them.
package struct Explanation: Sendable, Equatable, CustomStringConvertible {
    package enum Choice: String, Sendable {
        /// The caller named it.
        case pinned
        /// The first dialect of the table that finds an attachment.
        case found
        /// No dialect finds an attachment, or the payload must not be rewritten.
        case none
    }

    package var choice: Choice
    /// The names of the dialects, each once, in the order of their attachments.
    package var dialects: [String]
    package var gate: Eligibility
    /// The locations of the URLs.
    package var pointers: [JSONPointer]
    package var remarks: [String]

    package var description: String {
        ([choiceText, "gate \(gate == .open ? "open" : "shut"): \(gate.explanation)"] + remarks).joined(separator: "\n")
    }

    private var choiceText: String {
        let names = dialects.joined(separator: ", ")
        let pointers = pointers.map(\.description).joined(separator: ", ")
        return switch choice {
        case .pinned: "dialect \(names), as asked for: \(pointers.isEmpty ? "it finds no attachment" : pointers)"
        case .found: "dialect \(names), the most specific that finds an attachment: \(pointers)"
        case .none: gate == .open ? "no dialect finds an attachment" : "no attachment was looked for"
        }
    }
}
