/// The search for attachments in one payload, and its findings so far.
struct AttachmentFinder {
    /// The most places of one path that are looked at. Each costs as much as the payload has names.
    private static let matchLimit = 128

    /// The whole payload, in which strings with a payload are already open.
    private let content: JSONValue
    /// The payload or request that is searched, and its place in the whole.
    private var part: JSONValue
    private var base = JSONPointer()
    let limit: Int
    /// The pattern for the inline picture of a Live Activity; `nil` leaves Live Activities as they are.
    let inlinePattern: JSONPattern?
    let makeIdentifier: @Sendable () -> String
    /// A Boolean value that indicates whether the payload must not be rewritten. Then nothing is found in it.
    private let isShut: Bool

    private(set) var attachments: [AttachmentRequest] = []
    /// The attachments that a gate holds back, for the linter. Nothing else reads them.
    private(set) var held: [NotificationRequest.Held] = []
    private(set) var fallbackBody: NotificationRequest.FallbackBody?
    private var gates: [Eligibility] = []
    private var identifiers: Set<String> = []
    private(set) var remarks: [String] = []

    init(
        payload: JSONValue,
        limit: Int,
        inlinePattern: JSONPattern? = nil,
        makeIdentifier: @escaping @Sendable () -> String,
    ) {
        content = payload
        part = payload
        isShut = payload.hasUnpairedSurrogate
        self.limit = limit
        self.inlinePattern = inlinePattern
        self.makeIdentifier = makeIdentifier
    }

    /// The number of attachments that were found, including those that a gate holds back.
    var count: Int { attachments.count + held.count }

    /// The eligibility of the whole: open if any part may be rewritten.
    var gate: Eligibility { isShut ? .notUnicode : gates.contains(.open) ? .open : gates.first ?? .open }

    /// Goes on in the payload or request that a string holds.
    mutating func enter(_ string: PayloadString) {
        part = string.value
        base = string.pointer
    }

    /// Follows the paths of a service's own request, each behind its gate.
    mutating func search(_ service: Dialect, in layout: RequestLayout) {
        guard !isShut else { return }
        for path in service.paths {
            for match in path.urls(in: part).prefix(Self.matchLimit) {
                let gate = (path.gate ?? layout.gate).gate(in: part, filling: match.wildcards)
                gates.append(gate)
                let category = text(layout.category, filling: match.wildcards)
                add(match, path, below: base, in: part, service, category, gate)
            }
        }
    }

    /// Searches each payload that the request carries, by the first of `dialects` that finds an attachment there.
    mutating func searchPayloads(of layout: RequestLayout, by dialects: [Dialect], isPinned: Bool) {
        guard !isShut else { return }
        for match in layout.payloads?.matches(in: part) ?? [] {
            let root = JSONPattern.Match(pointer: base + match.pointer, wildcards: match.wildcards, value: match.value)
            let isActivity = inlinePattern != nil && root.value["aps"]?["content-state"]?.isObject == true
            let gate = isActivity ? .open : layout.gate.gate(in: part, filling: root.wildcards)
            gates.append(gate)
            let activities = isActivity && !isPinned ? inlinePattern.map { [Dialect.liveActivity(at: $0)] } ?? [] : []
            search(
                root,
                by: activities + dialects,
                isActivity: isActivity,
                category: text(layout.category, filling: root.wildcards),
                gate
            )
        }
    }

    func explanation(pinned: Dialect?) -> Explanation {
        var names: [String] = pinned.map { [$0.name] } ?? []
        for attachment in attachments where !names.contains(attachment.dialect) { names.append(attachment.dialect) }
        return Explanation(
            choice: pinned != nil ? .pinned : attachments.isEmpty ? .none : .found,
            dialects: names,
            gate: gate,
            pointers: attachments.map(\.pointers.url),
            remarks: remarks + attachments.flatMap(\.remarks),
        )
    }

    private func text(_ pattern: JSONPattern?, filling wildcards: [String]) -> String? {
        pattern.flatMap { part.value(at: $0.pointer(filling: wildcards))?.text }
    }

    private mutating func search(
        _ root: JSONPattern.Match,
        by dialects: [Dialect],
        isActivity: Bool,
        category: String?,
        _ gate: Eligibility,
    ) {
        for dialect in dialects.indices {
            for path in dialects[dialect].paths.indices {
                // Most paths lead nowhere. They are not copied, which would take longer than to look.
                guard dialects[dialect].paths[path].url.mayMatch(in: root.value) else { continue }
                let (dialect, path) = (dialects[dialect], dialects[dialect].paths[path])
                let matches = path.urls(in: root.value)
                guard !matches.isEmpty else { continue }
                for match in matches {
                    let inline = isActivity ? inlinePointer(below: root.pointer, for: match) : nil
                    if isActivity, inline == nil { continue }
                    add(match, path, below: root.pointer, in: root.value, dialect, category, gate, inline: inline)
                }
                if gate == .open, let pattern = dialect.fallbackBody { findFallbackBody(pattern, root) }
                return
            }
        }
    }

    /// Returns the place of the inline picture, if it is free: it is missing, or null, or has the attachment's URL.
    private func inlinePointer(below root: JSONPointer, for match: JSONPattern.Match) -> JSONPointer? {
        guard let pattern = inlinePattern else { return nil }
        let pointer = root + pattern.pointer(filling: match.wildcards)
        guard !pointer.tokens.contains("*") else { return nil }
        let value = content.value(at: pointer)
        return value == nil || value == .null || value == match.value ? pointer : nil
    }

    private mutating func add(
        _ match: JSONPattern.Match,
        _ path: AttachmentPath,
        below root: JSONPointer,
        in value: JSONValue,
        _ dialect: Dialect,
        _ category: String?,
        _ gate: Eligibility,
        inline: JSONPointer? = nil,
    ) {
        guard gate != .open || attachments.count < limit else {
            let remark = "Only the first \(limit) attachments were processed. Send fewer."
            if !remarks.contains(remark) { remarks.append(remark) }
            return
        }
        guard gate == .open || held.count < limit else { return }
        func pointer(_ pattern: JSONPattern) -> JSONPointer { root + pattern.pointer(filling: match.wildcards) }
        let named = path.identifiers.map(pointer).compactMap { content.value(at: $0)?.text }
        let key = path.isIdentifiedByKey ? match.wildcards.last : nil
        let given = named.first { !$0.isBlank } ?? key ?? ""
        let identifier = gate == .open ? unique(given) : given
        var attachmentRemarks: [String] = []
        let options = path.options.options(
            in: value,
            filling: match.wildcards,
            identifier: identifier,
            remarks: &attachmentRemarks,
        )
        let rectangle = options.clippingRectangle == nil ? nil : path.options.clippingRectangle
        let attachment = AttachmentRequest(
            identifier: identifier,
            url: match.value.text ?? "",
            options: options,
            profile: path.profile,
            isForOthersOnly: path.isForOthersOnly,
            category: category,
            dialect: dialect.name,
            pointers: AttachmentPointers(
                url: root + match.pointer,
                endsInExtension: path.endsInExtension,
                list: inline == nil ? path.list.map(pointer) : nil,
                inline: inline,
                companions: path.companions.filter { companion in
                    !companion.unless.contains { content.value(at: pointer($0))?.text?.isBlank == false }
                }
                .map {
                    AttachmentPointers.Companion(
                        pointer: pointer($0.field),
                        content: $0.content,
                        implied: $0.implied
                    )
                },
                clippingRectangle: rectangle.map(pointer),
            ),
            remarks: attachmentRemarks,
        )
        if gate == .open {
            attachments.append(attachment)
        } else {
            held.append(NotificationRequest.Held(attachment: attachment, gate: gate))
        }
    }

    /// Returns `given`, or another identifier where it is empty or taken.
    private mutating func unique(_ given: String) -> String {
        var identifier = given
        while identifier.isBlank || !identifiers.insert(identifier).inserted { identifier = makeIdentifier() }
        return identifier
    }

    private mutating func findFallbackBody(_ pattern: JSONPattern, _ root: JSONPattern.Match) {
        let alert = root.pointer + JSONPointer(tokens: ["aps", "alert"])
        guard let text = pattern.matches(in: root.value).first?.value, text.text?.isBlank == false,
            let value = content.value(at: alert)
        else { return }
        let pointer = value.isObject ? alert.appending("body") : alert
        fallbackBody = NotificationRequest.FallbackBody(pointer: pointer, text: text)
    }
}

// MARK: - Paths

extension AttachmentPath {
    /// Returns the URLs that the path leads to in `root`.
    func urls(in root: JSONValue) -> [JSONPattern.Match] {
        url.matches(in: root).filter { objection(to: $0, in: root) == nil }
    }

    /// Returns the reason why the path leads to no URL in `root`, or `nil` if it leads to one.
    func absence(in root: JSONValue) -> String? {
        let matches = url.matches(in: root)
        guard !matches.isEmpty else { return "\(url) is not there" }
        let objections = matches.map { objection(to: $0, in: root) }
        return objections.contains(nil) ? nil : objections.first ?? nil
    }

    private func objection(to match: JSONPattern.Match, in root: JSONValue) -> String? {
        guard let text = match.value.text else { return "\(match.pointer) is not a string" }
        guard !text.isBlank else { return "\(match.pointer) is empty" }
        guard !isAbsolute || text.contains("://") else { return "\(match.pointer) is not an absolute URL" }
        guard !isBesideAPS || root["aps"] != nil else { return "\(match.pointer) is not beside aps" }
        return required.map { $0.pointer(filling: match.wildcards) }
            .first { root.value(at: $0)?.text?.isBlank != false }
            .map { "\($0) is missing, without which the service's extension attaches nothing" }
    }
}
