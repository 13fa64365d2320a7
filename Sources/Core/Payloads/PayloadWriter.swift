package import Media

/// A writer that puts ready attachments into the payload that asked for them.
package struct PayloadWriter: Sendable {
    package init() {}

    /// Rewrites a payload within its limit.
    ///
    /// The ready file's URL replaces the attachment's URL, and the fields beside it are made true of that file. Every
    /// other value stays. If nothing is ready, or nothing fits, the bytes are returned as they came.
    ///
    /// A file that phones cannot fetch leaves the sender's URL where it is, and a Live Activity gets the inline picture
    /// instead of a URL.
    ///
    /// `attachments` are numbered as in the request; failed ones are missing. If one is missing, the dialect's fallback
    /// text becomes the alert's body, also when nothing else changes.
    package func write(
        _ request: NotificationRequest,
        attachments: [Int: DeliveredAttachment],
    ) -> RewrittenPayload {
        let ready = request.attachments.enumerated().compactMap { index, attachment in
            attachments[index].map { (pointers: attachment.pointers, file: $0) }
        }
        let original = RewrittenPayload(bytes: request.original, payload: request.payload, fit: .original)
        let fallbackBody = ready.count < request.attachments.count ? request.fallbackBody : nil
        let isActivity = !ready.isEmpty && ready.allSatisfy { $0.pointers.inline != nil }
        guard !ready.isEmpty || fallbackBody != nil else { return original }

        var smallest = Int.max
        let listed = AttachmentEntry.Detail.allCases.map { (fit: RewrittenPayload.Fit.listed, detail: $0) }
        for (fit, detail) in listed + [(.unlisted, .none), (.shortened, .none)] {
            var content = request.content
            for (pointers, file) in ready where pointers.inline == nil {
                content.write(file, at: pointers, isShort: fit == .shortened)
            }
            if let fallbackBody { content.set(at: fallbackBody.pointer, to: fallbackBody.text) }
            let isShown = content.show(ready, downTo: detail)
            let isListed = fit == .listed && content.list(ready, downTo: detail)
            if !isShown, isActivity || fit == .listed && !isListed { continue }
            let payload = content.closing(request.strings, as: request.payload)
            let bytes = payload.compactBytes
            let byteCount = request.byteCount(of: payload, opened: content, written: bytes)
            if byteCount <= request.pushType.byteLimit {
                let isChanged = payload != request.payload
                return RewrittenPayload(
                    bytes: isChanged ? bytes : request.original,
                    payload: payload,
                    byteCount: byteCount,
                    fit: fit
                )
            }
            smallest = min(smallest, byteCount)
        }
        var result = original
        guard smallest < .max else {
            result.failure = AttachmentFailure(
                .payload,
                .unsupportedFormat,
                "A Live Activity shows only pictures that are in its payload, and attachd could not make one from this attachment.",
            )
            return result
        }
        result.failure = AttachmentFailure(
            .payload,
            .payloadTooLarge,
            "With its attachments the payload would have \(smallest) bytes; the limit is "
                + "\(request.pushType.byteLimit). Shorten other values, or use a shorter public URL.",
        )
        return result
    }
}

extension DeliveredAttachment {
    /// Returns the URL, if necessary with a fragment that ends in the file's extension. A fragment stays on the device.
    fileprivate func endingInExtension(_ url: String) -> String {
        let suffix = "." + format.filenameExtension
        return url.hasSuffix(suffix) ? url : url + "#" + suffix
    }
}

extension JSONValue {
    fileprivate mutating func write(_ file: DeliveredAttachment, at pointers: AttachmentPointers, isShort: Bool) {
        guard let url = isShort ? file.shortURL ?? file.url : file.url else { return }
        set(at: pointers.url, to: .string(pointers.endsInExtension ? file.endingInExtension(url) : url))
        for companion in pointers.companions {
            let field = value(at: companion.pointer)
            guard let known = field == nil ? companion.implied : field?.text,
                let new = companion.content.text(for: file, replacing: known), new != known
            else { continue }
            setField(at: companion.pointer, to: .string(new))
        }
        if file.isClipped, let rectangle = pointers.clippingRectangle { showWhole(at: rectangle) }
    }

    /// Sets a field, and adds the object around it where that is missing.
    private mutating func setField(at pointer: JSONPointer, to new: JSONValue) {
        guard !set(at: pointer, to: new), let key = pointer.tokens.last else { return }
        let object = JSONPointer(tokens: pointer.tokens.dropLast())
        guard value(at: object) == nil else { return }
        set(at: object, to: .object([Member(key, new)]))
    }

    /// Sets a clipping rectangle to all of the picture: the device would otherwise clip it once more.
    private mutating func showWhole(at rectangle: JSONPointer) {
        for (lower, upper, number) in [("x", "X", 0), ("y", "Y", 0), ("width", "Width", 1), ("height", "Height", 1)] {
            let key = value(at: rectangle)?[lower] == nil ? upper : lower
            set(at: rectangle.appending(key), to: .integer(number))
        }
    }

    /// Puts inline pictures into a Live Activity. Returns `false` if there are no inline pictures.
    fileprivate mutating func show(
        _ ready: [(pointers: AttachmentPointers, file: DeliveredAttachment)],
        downTo detail: AttachmentEntry.Detail,
    ) -> Bool {
        var isShown = false
        for (pointers, file) in ready {
            guard let place = pointers.inline, let inline = AttachmentEntry(file: file, detail: detail).inline else {
                continue
            }
            setField(at: place, to: inline)
            isShown = isShown || value(at: place) == inline
        }
        return isShown
    }

    /// Adds the arrays of ready attachments. Returns `false` if there is no location for one, or the sender has a value there.
    fileprivate mutating func list(
        _ ready: [(pointers: AttachmentPointers, file: DeliveredAttachment)],
        downTo detail: AttachmentEntry.Detail,
    ) -> Bool {
        var lists: [(pointer: JSONPointer, entries: [JSONValue])] = []
        for (pointers, file) in ready {
            guard let pointer = pointers.list, let entry = AttachmentEntry(file: file, detail: detail).json else {
                continue
            }
            if let index = lists.firstIndex(where: { $0.pointer == pointer }) {
                lists[index].entries.append(entry)
            } else if value(at: pointer) == nil {
                lists.append((pointer, [entry]))
            }
        }
        return lists.count { set(at: $0.pointer, to: .array($0.entries)) } > 0
    }
}

// MARK: - Results

/// The payload that goes on to the push service.
package struct RewrittenPayload: Sendable, Equatable {
    /// The part of the result that fits into the payload's limit, from most to least.
    package enum Fit: String, Sendable, CaseIterable {
        /// The payload has the array of ready attachments.
        case listed
        /// The payload has no array of ready attachments.
        case unlisted
        /// The payload has no such array, and has the short forms of attachd's URLs.
        case shortened
        /// The payload is as it came.
        case original
    }

    package var bytes: [UInt8]
    package var payload: JSONValue
    /// The number of bytes that count against the push service's limit; `nil` if the payload is as it came.
    package var byteCount: Int?
    package var fit: Fit
    /// The reason why ready attachments did not go into the payload.
    package var failure: AttachmentFailure?
}

// MARK: - Companion fields

extension CompanionField.Content {
    /// Returns the field's text for `attachment` where it was `old`, or `nil` if the field has no word for it.
    func text(for attachment: DeliveredAttachment, replacing old: String) -> String? {
        let format = attachment.format
        return switch self {
        case .typeIdentifier: format.typeIdentifier
        case .mimeType: format.mimeType
        case .filenameExtension: format.filenameExtension
        case .sameForm: Self.form(of: old).text(for: attachment, replacing: old)
        case .words(let words): Self.isTypeIdentifier(old) ? format.typeIdentifier : words[format]
        case .filename: Self.stem(of: old) + "." + format.filenameExtension
        case .byteCount: attachment.byteCount.map { String($0) }
        case .expiry: LintedURL(attachment.stored.url).expiry.map { String($0.time) }
        case .identifier: attachment.identifier
        }
    }

    private static func form(of text: String) -> Self {
        if text.contains("/") { return .mimeType }
        if isTypeIdentifier(text) { return .typeIdentifier }
        guard MediaFormat.Kind(rawValue: text) != nil else { return .filenameExtension }
        return .words(Dictionary(uniqueKeysWithValues: MediaFormat.allCases.map { ($0, $0.kind.rawValue) }))
    }

    private static func isTypeIdentifier(_ text: String) -> Bool { text.contains(".") && !text.contains("/") }

    private static func stem(of name: String) -> Substring {
        name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    }
}
