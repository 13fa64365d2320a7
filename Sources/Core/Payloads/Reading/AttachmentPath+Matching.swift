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
        return required.map { $0.pointer(filling: match.wildcards) }
            .first { root.value(at: $0)?.text?.isBlank != false }
            .map { "\($0) is missing, without which the service's extension attaches nothing" }
    }
}
