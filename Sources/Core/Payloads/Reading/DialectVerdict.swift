/// The verdict of one dialect on a payload.
package struct DialectVerdict: Sendable, Equatable {
    package enum Match: String, Sendable {
        /// The dialect finds the attachments that are processed.
        case used
        /// The dialect finds attachments too, but another one comes first.
        case matches = "also"
        case none = "no"
    }

    package var dialect: String
    package var match: Match
    /// The locations of the URLs that it finds.
    package var pointers: [JSONPointer]
    /// The reason for the match, in a few words.
    package var reason: String
}

extension PayloadReader {
    /// Returns the verdict of every dialect on `payload`, in the order of their search.
    package func verdicts(on payload: JSONValue) -> [DialectVerdict] {
        let found = (try? read(payload, identifier: "detection"))?.attachments ?? []
        let used = found.map(\.dialect)
        return dialects.map { dialect in
            let request = try? read(payload, identifier: "detection", dialect: dialect.name)
            // A dialect that only names strings leaves what is inside to the others.
            let isOuter = !dialect.strings.isEmpty && dialect.paths.isEmpty
            let mine = request?.attachments.filter { $0.dialect == dialect.name || isOuter } ?? []
            let pointers = mine.map(\.pointers.url)
            let places = pointers.map(\.description).joined(separator: ", ")
            if pointers.isEmpty {
                let reason = objection(of: dialect, to: payload, request?.gate ?? .open)
                return DialectVerdict(dialect: dialect.name, match: .none, pointers: [], reason: reason)
            }
            guard !used.contains(dialect.name), !isOuter || pointers != found.map(\.pointers.url) else {
                return DialectVerdict(dialect: dialect.name, match: .used, pointers: pointers, reason: places)
            }
            return DialectVerdict(
                dialect: dialect.name,
                match: .matches,
                pointers: pointers,
                reason: "\(places); but \(used.first ?? "another one") comes first",
            )
        }
    }

    /// Returns the reason why `dialect` finds nothing in `payload`.
    private func objection(of dialect: Dialect, to payload: JSONValue, _ gate: Eligibility) -> String {
        let isPush = payload["aps"]?.isObject == true
        if !dialect.strings.isEmpty { return objection(ofStringsIn: dialect, to: payload, gate) }
        guard let layout = dialect.layout else { return objection(of: dialect, to: payload, isPush: isPush, gate) }
        if isPush, !layout.mark.isEverywhere { return "for a request to the service; this is a push payload, with aps" }
        if let objection = layout.mark.objection(to: payload) { return objection }
        return gate == .open ? absences(of: dialect, in: payload) : "it fits, but \(gate.explanation)"
    }

    private func objection(ofStringsIn dialect: Dialect, to payload: JSONValue, _ gate: Eligibility) -> String {
        guard let string = PayloadString.all(dialect.strings, in: payload).first else {
            return
                "there is no string with a JSON object at \(dialect.strings.map(\.pattern.description).joined(separator: " or "))"
        }
        guard gate == .open else { return "it fits, but \(gate.explanation)" }
        return dialect.paths.isEmpty
            ? "no dialect finds an attachment inside \(string.pointer)" : absences(of: dialect, in: string.value)
    }

    private func objection(
        of dialect: Dialect,
        to payload: JSONValue,
        isPush: Bool,
        _ gate: Eligibility,
    ) -> String {
        let form = forms(of: payload, nil).filter { $0.strings.isEmpty }.min { $0.rank < $1.rank }
        guard let form else { return "for a push payload; there is no aps object" }
        let (service, layout) = (form.dialect, form.layout)
        guard let root = layout.payloads?.matches(in: payload).first else {
            return "for a push payload; a request as \(service?.name ?? "this one") has none"
        }
        let absences = absences(of: dialect, in: root.value)
        return gate != .open && absences.isEmpty ? "it fits, but \(gate.explanation)" : absences
    }

    private func absences(of dialect: Dialect, in root: JSONValue) -> String {
        dialect.paths.compactMap { $0.absence(in: root) }.joined(separator: "; ")
    }
}

// MARK: - Explanation

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
