/// The form of a push service's request, with the push payloads in it.
package struct RequestLayout: Sendable, Equatable {
    package var mark: RequestMark
    /// The payloads for Apple's devices. Dialects of payloads find the attachments in each of them.
    package var payloads: JSONPattern?
    /// The gate rule. Its wildcards take the values of those of `payloads`, or of the path.
    package var gate: GateRule
    /// The pattern for the category of the notification. Its wildcards work as in `gate`.
    package var category: JSONPattern?
    package var measure: Measure

    package init(
        mark: RequestMark,
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

    /// The part that the push service counts against its limit.
    package struct Measure: Sendable, Equatable {
        /// The pattern for the values to measure. Each match is measured by itself.
        package var root: JSONPattern
        /// Sums of parts below the root. The largest sum counts, each part in compact JSON.
        package var sums: [[JSONPattern]]
        /// The bytes that the push service adds to each sum.
        package var overhead: Int

        package init(root: JSONPattern, sums: [[JSONPattern]], overhead: Int = 0) {
            self.root = root
            self.sums = sums
            self.overhead = overhead
        }

        /// A measure of the whole, in compact JSON.
        package static let whole = Measure(root: "", sums: [[""]])
        /// A measure that counts nothing: there is no limit.
        package static let nothing = Measure(root: "", sums: [])

        func byteCount(of payload: JSONValue) -> Int {
            let sizes = root.matches(in: payload).flatMap { root in
                sums.map { parts in
                    parts.flatMap { $0.matches(in: root.value) }.reduce(overhead) { $0 + $1.value.compactBytes.count }
                }
            }
            return sizes.max() ?? 0
        }
    }

    /// A layout of any JSON, as the user's own sender writes it. attachd does not know who counts its size.
    package static let anything = RequestLayout(
        mark: [],
        payloads: nil,
        gate: .alwaysOpen,
        category: "/aps/category",
        measure: .nothing,
    )

    /// The push payload itself, as APNs gets it.
    package static let payload = RequestLayout(
        mark: "/aps",
        payloads: "",
        gate: GateRule(mutableContent: ["/aps/mutable-content"], alerts: ["/aps/alert"]),
        category: "/aps/category",
        measure: .whole,
    )
}
