/// What a push service's request looks like, and where the push payloads stand in it.
package struct Envelope: Sendable, Equatable {
    /// Something that is there in a request of this service and in no other JSON.
    package var mark: JSONPattern
    /// The payloads for Apple's devices, in each of which attachments are looked for by the dialects of payloads.
    package var payloads: JSONPattern?
    /// Wildcards stand for those of `payloads`, or of the path that was followed.
    package var gate: GateRule
    /// Where the category of the notification stands; wildcards as for `gate`.
    package var category: JSONPattern?
    package var measure: Measure

    package init(
        mark: JSONPattern,
        payloads: JSONPattern?,
        gate: GateRule,
        category: JSONPattern? = nil,
        measure: Measure,
    ) {
        self.mark = mark
        self.payloads = payloads
        self.gate = gate
        self.category = category
        self.measure = measure
    }

    /// What the push service counts against its limit.
    package struct Measure: Sendable, Equatable {
        /// Each place found is measured for itself.
        package var root: JSONPattern
        /// Below the root; the largest sum of parts counts, each in compact JSON.
        package var sums: [[JSONPattern]]

        package init(root: JSONPattern, sums: [[JSONPattern]]) {
            self.root = root
            self.sums = sums
        }

        /// The whole, in compact JSON.
        package static let whole = Measure(root: "", sums: [[""]])
        /// Nothing: there is no limit.
        package static let nothing = Measure(root: "", sums: [])

        func byteCount(of payload: JSONValue) -> Int {
            let sizes = root.matches(in: payload).flatMap { root in
                sums.map { parts in
                    parts.flatMap { $0.matches(in: root.value) }.reduce(0) { $0 + $1.value.compactBytes.count }
                }
            }
            return sizes.max() ?? 0
        }
    }

    /// The push payload itself, as APNs gets it.
    package static let payload = Envelope(
        mark: "/aps",
        payloads: "",
        gate: GateRule(mutableContent: "/aps/mutable-content", alerts: ["/aps/alert"]),
        category: "/aps/category",
        measure: .whole,
    )
}
