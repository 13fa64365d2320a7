/// A reader that finds the attachments of a payload.
package struct PayloadReader: Sendable {
    /// The size of the largest payload that is read, in bytes.
    package static let byteLimit = 65_536
    /// The most attachments of one notification. Further ones stay as they are.
    package static let attachmentLimit = 16

    let dialects: [Dialect]
    /// The dialects of push payloads themselves, which any request may carry.
    private let payloadDialects: [Dialect]
    private let makeIdentifier: @Sendable () -> String

    /// Creates a reader. The first of `dialects` that leads to an attachment wins. `makeIdentifier` makes identifiers
    /// for attachments without one, a different one each time.
    package init(
        dialects: [Dialect] = Dialect.builtIn,
        makeIdentifier: @escaping @Sendable () -> String = RandomIdentifier.make,
    ) {
        self.dialects = dialects
        payloadDialects = dialects.filter(\.isOfPayloads)
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
        guard let reading = reading(of: payload, pinned, inlinePattern) else {
            guard payload.isObject else { throw .notAnObject }
            throw .noNotification(
                lookedFor: dialects.filter { $0.layout != nil || !$0.strings.isEmpty }.map(\.name),
                media: MediaPlaces(in: payload),
            )
        }
        let finder = reading.finder
        return NotificationRequest(
            identifier: identifier,
            payload: payload,
            content: payload.opening(reading.strings),
            strings: reading.strings,
            original: original,
            pushType: pushType,
            gate: finder.gate,
            attachments: finder.attachments,
            held: finder.held,
            ownRemarks: finder.remarks,
            explanation: finder.explanation(pinned: pinned),
            measures: reading.measures,
            fallbackBody: finder.fallbackBody,
        )
    }

    /// Returns the attachments in `payload`, or `nil` if it is neither a push payload nor a known request.
    private func reading(of payload: JSONValue, _ pinned: Dialect?, _ inlinePattern: JSONPattern?) -> Reading? {
        best(of: forms(of: payload, pinned), after: 0) { form in
            var reading = Reading(
                finder: AttachmentFinder(
                    payload: payload.opening(form.strings),
                    limit: Self.attachmentLimit,
                    inlinePattern: inlinePattern,
                    makeIdentifier: makeIdentifier,
                ),
                strings: form.strings,
            )
            search(form, pinned, &reading)
            return reading
        }
    }

    /// Returns the ways in which `value` can be read, in the order of the dialects. The push payload itself comes last.
    /// Inside a string, no further ones are opened.
    func forms(of value: JSONValue, _ pinned: Dialect?, inside string: PayloadString? = nil) -> [PayloadForm] {
        let isPush = value["aps"]?.isObject == true
        var forms = (string?.requests ?? dialects).compactMap { dialect -> PayloadForm? in
            guard dialect.strings.isEmpty else {
                let strings = string == nil ? PayloadString.all(dialect.strings, in: value) : []
                return strings.isEmpty ? nil : PayloadForm(dialect: dialect, strings: strings)
            }
            guard let mark = dialect.layout?.mark, !isPush || mark.isEverywhere,
                mark.objection(to: value, isNamed: dialect == pinned) == nil
            else { return nil }
            return PayloadForm(dialect: dialect, measuresWhole: isPush)
        }
        if isPush { forms.append(PayloadForm(dialect: nil)) }
        if let index = forms.firstIndex(where: { $0.dialect == pinned && pinned != nil }) {
            forms.insert(forms.remove(at: index), at: 0)
        }
        return forms
    }

    /// Returns the first of the readings that finds something: services share common names. Or else that of the form
    /// that says most of the body. `count` findings were there before.
    private func best(of forms: [PayloadForm], after count: Int, _ read: (PayloadForm) -> Reading) -> Reading? {
        var fallback: (rank: Int, reading: Reading)?
        for form in forms {
            let reading = read(form)
            guard reading.finder.count == count else { return reading }
            if fallback.map({ form.rank < $0.rank }) ?? true { fallback = (form.rank, reading) }
        }
        return fallback?.reading
    }

    /// Searches a payload, the request of a service that contains payloads, or all strings that do.
    private func search(_ form: PayloadForm, _ pinned: Dialect?, _ reading: inout Reading) {
        guard form.strings.isEmpty else {
            for string in form.strings {
                reading.finder.enter(string)
                reading.base = string.pointer
                search(string, of: form, pinned, &reading)
            }
            return
        }
        let layout = form.layout
        reading.measures.append(PayloadMeasure(base: reading.base, measure: layout.measure))
        if let service = form.dialect, pinned == nil || pinned == service { reading.finder.search(service, in: layout) }
        let candidates = pinned.map { $0.isOfPayloads ? [$0] : [] } ?? payloadDialects
        reading.finder.searchPayloads(of: layout, by: candidates, isPinned: pinned != nil)
    }

    /// Searches the payload or request inside a string.
    private func search(_ string: PayloadString, of form: PayloadForm, _ pinned: Dialect?, _ reading: inout Reading) {
        guard let outer = form.dialect, !outer.paths.isEmpty else {
            // A dialect that only names the strings: any other dialect may fit inside.
            let pinned = pinned == form.dialect ? nil : pinned
            let forms = forms(of: string.value, pinned, inside: string)
            let best = best(of: forms, after: reading.finder.count) { [reading] form in
                var reading = reading
                search(form, pinned, &reading)
                return reading
            }
            if let best { reading = best }
            if string.requests == nil, reading.measures.contains(where: { !$0.measure.sums.isEmpty }) {
                reading.measures = [.all]
            }
            return
        }
        if outer.layout == nil { reading.measures = [.all] }
        guard pinned == nil || pinned == outer else { return }
        if let layout = outer.layout {
            reading.finder.search(outer, in: layout)
        } else {
            reading.finder.searchPayloads(of: .payload, by: [outer], isPinned: pinned != nil)
        }
    }

    private func dialect(named name: String) throws(PayloadError) -> Dialect {
        guard let dialect = dialects.first(where: { $0.name == name }) else {
            throw .unknownDialect(name, known: dialects.map(\.name))
        }
        return dialect
    }
}

/// One way in which a body can be read.
struct PayloadForm {
    /// The dialect of the request, or of the strings. `nil` is the push payload itself.
    let dialect: Dialect?
    /// The strings with payloads. If there are any, the payloads are inside, and not around them.
    var strings: [PayloadString] = []
    /// A Boolean value that indicates whether the size of all of a request counts, because it is a push payload.
    var measuresWhole = false

    var layout: RequestLayout {
        var layout = dialect?.layout ?? .payload
        if measuresWhole { layout.measure = .whole }
        return layout
    }

    /// The rank among the forms in which nothing is found: the payload itself, then requests, then any JSON.
    var rank: Int {
        guard let dialect else { return 0 }
        return dialect.layout?.mark.isEverywhere == true ? 2 : 1
    }
}

extension Dialect {
    fileprivate var isOfPayloads: Bool { layout == nil && strings.isEmpty }
}

/// The findings in one way of reading.
private struct Reading {
    var finder: AttachmentFinder
    var strings: [PayloadString]
    /// The place of the payload that is searched.
    var base = JSONPointer()
    var measures: [PayloadMeasure] = []
}

/// Random identifiers for attachments without an identifier from the sender.
package enum RandomIdentifier {
    /// Returns 128 random bits in lower-case hexadecimal.
    package static func make() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }
}

// MARK: - Payloads in strings

/// A JSON string in a body that contains another payload or request, as in a message for Amazon SNS.
struct PayloadString: Sendable, Equatable {
    /// The location of the string. The pointers to values inside go on from there.
    var pointer: JSONPointer
    /// The JSON inside.
    var value: JSONValue
    /// The dialects of requests that may be inside. `nil` is all of them.
    var requests: [Dialect]?

    /// Returns the strings of `body` at `places` that hold a JSON object.
    static func all(_ places: [PayloadStrings], in body: JSONValue) -> [PayloadString] {
        var strings: [PayloadString] = []
        for place in places {
            for match in place.pattern.matches(in: body).prefix(countLimit - strings.count) {
                guard !strings.contains(where: { $0.pointer == match.pointer }), let text = match.value.text,
                    let value = try? JSONValue(parsing: Array(text.utf8)), value.isObject
                else { continue }
                strings.append(PayloadString(pointer: match.pointer, value: value, requests: place.requests))
            }
        }
        return strings
    }

    /// The most strings of one body that are opened.
    private static let countLimit = 16
}

extension JSONValue {
    /// Returns the body in which the JSON inside replaces each of `strings`.
    func opening(_ strings: [PayloadString]) -> JSONValue {
        strings.reduce(into: self) { body, string in
            guard let text = body.value(at: string.pointer)?.text,
                let value = try? JSONValue(parsing: Array(text.utf8))
            else { return }
            body.set(at: string.pointer, to: value)
        }
    }

    /// Returns the body with the strings that `original` has. JSON that did not change keeps its text.
    func closing(_ strings: [PayloadString], as original: JSONValue) -> JSONValue {
        strings.reduce(into: self) { body, string in
            guard let value = body.value(at: string.pointer) else { return }
            let text = value == string.value ? original.value(at: string.pointer) : nil
            body.set(at: string.pointer, to: text ?? .string(value.compactText))
        }
    }
}
