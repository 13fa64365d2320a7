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
        let used = (try? read(payload, identifier: "detection"))?.attachments.map(\.dialect) ?? []
        return dialects.map { dialect in
            let request = try? read(payload, identifier: "detection", dialect: dialect.name)
            let pointers = request?.attachments.filter { $0.dialect == dialect.name }.map(\.pointers.url) ?? []
            let found = pointers.map(\.description).joined(separator: ", ")
            if pointers.isEmpty {
                let reason = objection(of: dialect, to: payload, request?.gate ?? .open)
                return DialectVerdict(dialect: dialect.name, match: .none, pointers: [], reason: reason)
            }
            guard !used.contains(dialect.name) else {
                return DialectVerdict(dialect: dialect.name, match: .used, pointers: pointers, reason: found)
            }
            return DialectVerdict(
                dialect: dialect.name,
                match: .matches,
                pointers: pointers,
                reason: "\(found); but \(used.first ?? "another one") comes first",
            )
        }
    }

    /// Returns the reason why `dialect` finds nothing in `payload`.
    private func objection(of dialect: Dialect, to payload: JSONValue, _ gate: Eligibility) -> String {
        let isPush = payload["aps"]?.isObject == true
        guard let layout = dialect.layout else { return objection(of: dialect, to: payload, isPush: isPush, gate) }
        if isPush { return "for a request to the service; this is a push payload, with aps" }
        if let missing = layout.mark.missing(in: payload) { return "there is no \(missing)" }
        return gate == .open ? absences(of: dialect, in: payload) : "it fits, but \(gate.explanation)"
    }

    private func objection(
        of dialect: Dialect,
        to payload: JSONValue,
        isPush: Bool,
        _ gate: Eligibility,
    ) -> String {
        let service = isPush ? nil : dialects.first { $0.layout?.mark.fits(payload) == true }
        guard isPush || service != nil else { return "for a push payload; there is no aps object" }
        let layout = service?.layout ?? .payload
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
