import Base

extension LintRule {
    static let keyMisspelled = LintRule(.keyMisspelled, isAboutOutgoing: false) { subject in
        subject.misspelledMarks + subject.misspelledURLs
    }

    static let textNotObject = LintRule(.textNotObject, isAboutOutgoing: false) { subject in
        subject.roots.flatMap { root in
            let singles = Set(root.dialects.flatMap { $0.paths.map(\.url) })
            return root.dialects.flatMap { dialect in
                dialect.paths.compactMap { path in path.url.container.map { (dialect, $0) } }
            }
            .filter { !singles.contains($0.1) }
            .compactMap { dialect, container -> LintFinding? in
                let pointer = container.pointer(filling: [])
                guard let text = root.value.value(at: pointer)?.text, text.contains("://") else { return nil }
                return LintFinding(
                    .textNotObject,
                    .error,
                    at: root.pointer + pointer,
                    "The URL is a string here, but \(dialect.title) expects an object or array.",
                    advice: "Write {\"id1\": \"https://…\"}, or the form in the service's own documentation.",
                    source: LintSource.dialects,
                )
            }
        }
        .reduce(into: []) { findings, finding in
            if !findings.contains(where: { $0.pointer == finding.pointer }) { findings.append(finding) }
        }
    }
}

extension LintSubject {
    /// A payload or request in the body, and the dialects whose paths start there.
    fileprivate struct Root {
        var pointer: JSONPointer
        var value: JSONValue
        var dialects: [Dialect]
    }

    /// The payloads and requests: the body, what its strings hold, and the payloads that a request carries.
    fileprivate var roots: [Root] {
        let bodies = request.strings.isEmpty ? [JSONPointer()] : request.strings.map(\.pointer)
        let payloadDialects = dialects.filter { $0.layout == nil && $0.strings.isEmpty }
        return bodies.flatMap { pointer -> [Root] in
            guard let body = content.value(at: pointer) else { return [] }
            if body["aps"]?.isObject == true { return [Root(pointer: pointer, value: body, dialects: payloadDialects)] }
            let services = dialects.filter { $0.layout.map { $0.mark.objection(to: body) == nil } ?? false }
            let payloads = services.flatMap { $0.layout?.payloads?.matches(in: body) ?? [] }
                .map { Root(pointer: pointer + $0.pointer, value: $0.value, dialects: payloadDialects) }
            return [Root(pointer: pointer, value: body, dialects: services)] + payloads
        }
    }

    /// The keys of `aps` in another spelling. Firebase's Admin SDK for Node.js has one of its own, in camel case.
    fileprivate var misspelledMarks: [LintFinding] {
        let places: [JSONPattern] = ["/aps", "/apns/payload/aps", "/message/apns/payload/aps", "/*/aps"]
        var seen: Set<JSONPointer> = []
        return places.flatMap { place in place.matches(in: content).filter { seen.insert($0.pointer).inserted } }
            .flatMap { match -> [LintFinding] in
                guard case .object(let members) = match.value else { return [] }
                let isNode = match.pointer.tokens.starts(with: ["apns"])
                return members.compactMap { member in
                    guard let key = Self.apsKeys.first(where: { Spelling.isSame($0, member.key) }), key != member.key,
                        !isNode || member.key.contains("_"), match.value[key] == nil
                    else { return nil }
                    return LintFinding(
                        .keyMisspelled,
                        key == "mutable-content" ? .error : .warning,
                        at: match.pointer.appending(member.key),
                        "The system does not read \"\(member.key.onOneLine(limit: 60))\" in aps. The key is \"\(key)\".",
                        advice: "Write \(key). Only requests to some services use underscores, not aps.",
                        source: LintSource.payloadSize,
                    )
                }
            }
    }

    /// The keys of `aps` with a hyphen ("Generating a remote notification", Apple).
    private static let apsKeys = [
        "mutable-content", "content-available", "thread-id", "target-content-id", "interruption-level",
        "relevance-score",
        "filter-criteria",
    ]

    /// The URLs at keys that are nearly a dialect's, in a body in which no dialect finds one.
    fileprivate var misspelledURLs: [LintFinding] {
        guard request.attachments.isEmpty, request.held.isEmpty else { return [] }
        return roots.flatMap { root -> [LintFinding] in
            let known = root.dialects.flatMap { dialect in dialect.paths.map { (dialect: dialect, url: $0.url) } }
            let keys = Set(known.compactMap(\.url.key))
            return root.value.urls(below: root.pointer, levels: 3).compactMap { pointer in
                guard let key = pointer.tokens.last, !keys.contains(key) else { return nil }
                let near = known.compactMap { path -> (path: (dialect: Dialect, url: JSONPattern), distance: Int)? in
                    guard let name = path.url.key, let distance = Spelling.distance(key, name) else { return nil }
                    return (path, distance)
                }
                guard let nearest = near.min(by: { $0.distance < $1.distance })?.path else { return nil }
                return LintFinding(
                    .keyMisspelled,
                    .warning,
                    at: pointer,
                    "No service reads \"\(key.onOneLine(limit: 60))\". \(nearest.dialect.title) reads \(nearest.url).",
                    advice: "Correct the key, or define your own dialect in the configuration.",
                    source: LintSource.dialects,
                )
            }
        }
    }
}

extension JSONPattern {
    /// The last key, unless it is a wildcard.
    fileprivate var key: String? { pointer(filling: []).tokens.last.flatMap { $0 == "*" ? nil : $0 } }

    /// The pattern of the object or array that the first wildcard is in.
    fileprivate var container: JSONPattern? {
        let tokens = pointer(filling: []).tokens
        guard let index = tokens.firstIndex(of: "*"), index > 0 else { return nil }
        return try? JSONPattern(JSONPointer(tokens: Array(tokens[..<index])).description)
    }
}

extension JSONValue {
    /// Returns the locations of absolute URLs among the members, at most `levels` deep.
    fileprivate func urls(below pointer: JSONPointer, levels: Int) -> [JSONPointer] {
        guard case .object(let members) = self, levels > 0 else { return [] }
        return members.filter { $0.unpairedKey == nil }.flatMap { member -> [JSONPointer] in
            let place = pointer.appending(member.key)
            if let text = member.value.text { return text.contains("://") ? [place] : [] }
            return member.value.urls(below: place, levels: levels - 1)
        }
    }
}

/// The comparison of keys as people misspell them.
private enum Spelling {
    /// Returns whether both differ in case, hyphens and underscores only.
    static func isSame(_ left: String, _ right: String) -> Bool { letters(left) == letters(right) }

    /// Returns the number of letters to add, remove or replace (Levenshtein), or `nil` if the keys are not near. Short
    /// keys are often real words that differ in a letter.
    static func distance(_ left: String, _ right: String) -> Int? {
        let (source, target) = (letters(left), letters(right))
        guard (8...64).contains(source.count), (8...64).contains(target.count), abs(source.count - target.count) <= 2
        else {
            return nil
        }
        let distance = EditDistance.between(source, target)
        return distance <= 2 ? distance : nil
    }

    private static func letters(_ key: String) -> [UInt8] {
        key.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map {
            (0x41...0x5A).contains($0) ? $0 + 32 : $0
        }
    }
}
