/// A reader that finds the attachments of a payload.
package struct PayloadReader: Sendable {
    /// The size of the largest payload that is read, in bytes.
    package static let byteLimit = 65_536
    /// The most attachments of one notification. Further ones stay as they are.
    package static let attachmentLimit = 16

    let dialects: [Dialect]
    private let makeIdentifier: @Sendable () -> String

    /// Creates a reader. The first of `dialects` that leads to an attachment wins. `makeIdentifier` makes identifiers
    /// for attachments without one, a different one each time.
    package init(
        dialects: [Dialect] = Dialect.builtIn,
        makeIdentifier: @escaping @Sendable () -> String = RandomIdentifier.make,
    ) {
        self.dialects = dialects
        self.makeIdentifier = makeIdentifier
    }

    /// The names of the dialects, in the order of their search.
    package var dialectNames: [String] { dialects.map(\.name) }

    /// Reads a payload as a push service gets it.
    ///
    /// `dialect` restricts the search to one dialect. With an `inlinePattern`, the attachments of a Live Activity are
    /// found too; their inline pictures go where it points.
    package func read(
        _ bytes: [UInt8],
        identifier: String,
        pushType: PushType = .alert,
        dialect: String? = nil,
        inlinePattern: JSONPattern? = nil,
    ) throws(PayloadError) -> NotificationRequest {
        guard bytes.count <= Self.byteLimit else {
            throw .tooLarge(byteCount: bytes.count, limit: Self.byteLimit)
        }
        let payload: JSONValue
        do { payload = try JSONValue(parsing: bytes) } catch { throw .notJSON(error) }
        return try read(payload, bytes, identifier, pushType, dialect, inlinePattern)
    }

    /// Reads a payload that is part of something else, like `read(_:identifier:pushType:dialect:inlinePattern:)`.
    package func read(
        _ payload: JSONValue,
        identifier: String,
        pushType: PushType = .alert,
        dialect: String? = nil,
        inlinePattern: JSONPattern? = nil,
    ) throws(PayloadError) -> NotificationRequest {
        try read(payload, payload.compactBytes, identifier, pushType, dialect, inlinePattern)
    }

    private func read(
        _ payload: JSONValue,
        _ original: [UInt8],
        _ identifier: String,
        _ pushType: PushType,
        _ name: String?,
        _ inlinePattern: JSONPattern?,
    ) throws(PayloadError) -> NotificationRequest {
        let pinned = try name.map { name throws(PayloadError) in try dialect(named: name) }
        let isPush = payload["aps"]?.isObject == true
        let services = isPush ? [] : dialects.filter { $0.layout?.mark.fits(payload) == true }
        guard isPush || !services.isEmpty else {
            guard payload.isObject else { throw .notAnObject }
            throw .noNotification(lookedFor: dialects.filter { $0.layout != nil }.map(\.name))
        }

        // Services share common names. The first that finds something wins, or else the first.
        var (layout, finder) = search(payload, services.first { $0 == pinned } ?? services.first, pinned, inlinePattern)
        if pinned == nil, finder.hasNothing {
            for service in services.dropFirst() {
                let other = search(payload, service, pinned, inlinePattern)
                guard !other.finder.hasNothing else { continue }
                (layout, finder) = other
                break
            }
        }
        return NotificationRequest(
            identifier: identifier,
            payload: payload,
            original: original,
            pushType: pushType,
            gate: finder.gate,
            attachments: finder.attachments,
            held: finder.held,
            ownRemarks: finder.remarks,
            explanation: finder.explanation(pinned: pinned),
            measure: layout.measure,
            fallbackBody: finder.fallbackBody,
        )
    }

    /// Searches a payload, or the request of `service` that contains payloads.
    private func search(
        _ payload: JSONValue,
        _ service: Dialect?,
        _ pinned: Dialect?,
        _ inlinePattern: JSONPattern?,
    ) -> (layout: RequestLayout, finder: AttachmentFinder) {
        let layout = service?.layout ?? .payload
        var finder = AttachmentFinder(
            payload: payload,
            limit: Self.attachmentLimit,
            inlinePattern: inlinePattern,
            makeIdentifier: makeIdentifier,
        )
        finder.isShut = payload.hasUnpairedSurrogate
        if let service, pinned == nil || pinned == service { finder.search(service, in: layout) }
        let candidates = pinned.map { [$0] } ?? dialects
        finder.searchPayloads(of: layout, by: candidates.filter { $0.layout == nil }, isPinned: pinned != nil)
        return (layout, finder)
    }

    private func dialect(named name: String) throws(PayloadError) -> Dialect {
        guard let dialect = dialects.first(where: { $0.name == name }) else {
            throw .unknownDialect(name, known: dialects.map(\.name))
        }
        return dialect
    }
}

/// Random identifiers for attachments whose sender gave them none.
package enum RandomIdentifier {
    /// Returns 128 random bits in lower-case hexadecimal.
    package static func make() -> String {
        (0..<4).map { _ in
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        .joined()
    }
}
