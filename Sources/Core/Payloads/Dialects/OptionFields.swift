import Base
package import Media

/// The locations of an attachment's options in a dialect.
package struct OptionFields: Sendable, Equatable {
    package var typeHint: JSONPattern?
    package var thumbnailHidden: JSONPattern?
    /// An object of `x`, `y`, `width` and `height`, in lower case or as `CGRect` writes itself.
    package var clippingRectangle: JSONPattern?
    /// A number, or an object of `value` and `timescale` as `CMTime` writes itself.
    package var thumbnailTime: JSONPattern?
    /// The identifier of the one attachment that makes the thumbnail. The thumbnails of all others are hidden.
    package var thumbnailIdentifier: JSONPattern?

    /// Returns the options under their names in `UNNotificationAttachment`, as members of the object at `object`.
    package static func userNotifications(below object: String) -> OptionFields {
        OptionFields(
            typeHint: "\(object)/\(key)TypeHintKey",
            thumbnailHidden: "\(object)/\(key)ThumbnailHiddenKey",
            clippingRectangle: "\(object)/\(key)ThumbnailClippingRectKey",
            thumbnailTime: "\(object)/\(key)ThumbnailTimeKey",
        )
    }

    fileprivate static let key = "UNNotificationAttachmentOptions"

    /// Reads the options, and describes in `remarks` the options that it corrected or ignored.
    func options(
        in root: JSONValue,
        filling wildcards: [String],
        identifier: String,
        remarks: inout [String],
    ) -> AttachmentOptions {
        func value(_ pattern: JSONPattern?) -> JSONValue? {
            pattern.flatMap { root.value(at: $0.pointer(filling: wildcards)) }
        }
        var options = AttachmentOptions()
        if let hint = value(typeHint) { options.typeHint = Self.typeHint(hint, &remarks) }
        if let hidden = value(thumbnailHidden) { options.isThumbnailHidden = hidden.isYes }
        if let chosen = value(thumbnailIdentifier)?.text, !chosen.isBlank {
            options.isThumbnailHidden = options.isThumbnailHidden || !chosen.isExactly(identifier)
        }
        if let rectangle = value(clippingRectangle) { options.clippingRectangle = Self.rectangle(rectangle, &remarks) }
        if let time = value(thumbnailTime) { options.thumbnailTime = Self.time(time, &remarks) }
        return options
    }

    private static func typeHint(_ value: JSONValue, _ remarks: inout [String]) -> String? {
        guard let text = value.text, !text.isBlank else { return nil }
        if text.contains("/"), let format = MediaFormat(mimeType: text) {
            remarks.append(
                "The type hint is the media type \(text). Write the type identifier \(format.typeIdentifier) instead."
            )
            return format.typeIdentifier
        }
        guard text.contains("."), !text.contains("/") else {
            remarks.append(
                "The type hint is not a uniform type identifier and was left out. Write public.jpeg, for example."
            )
            return nil
        }
        return text
    }

    private static func rectangle(_ value: JSONValue, _ remarks: inout [String]) -> ClippingRectangle? {
        func number(_ lower: String, _ upper: String) -> Double? { (value[lower] ?? value[upper])?.double }
        guard let x = number("x", "X"), let y = number("y", "Y"), let width = number("width", "Width"),
            let height = number("height", "Height"),
            let rectangle = ClippingRectangle(x: x, y: y, width: width, height: height)
        else {
            remarks.append("The clipping rectangle was left out: x, y, width and height must lie between 0 and 1.")
            return nil
        }
        return rectangle
    }

    /// The latest time: a day in seconds, or as many frames.
    private static let longestTime = 86_400.0

    private static func time(_ value: JSONValue, _ remarks: inout [String]) -> Double? {
        let time =
            value.double
            ?? value["value"]?.double.flatMap { ticks in
                value["timescale"]?.double.map { ticks / $0 }
            }
        guard let time, (0...longestTime).contains(time) else {
            remarks.append(
                "The thumbnail time was left out: write seconds or a frame number, 0 to \(Int(clamping: longestTime))."
            )
            return nil
        }
        return time
    }
}

extension CompanionField {
    /// Returns the type hint among the options at `object`, which must fit the new file.
    package static func typeHint(below object: String) -> CompanionField {
        CompanionField("\(object)/\(OptionFields.key)TypeHintKey", .typeIdentifier)
    }
}

// MARK: - Options

/// The options of `UNNotificationAttachment`, which say how an attachment is shown.
package struct AttachmentOptions: Sendable, Equatable {
    /// A uniform type identifier.
    package var typeHint: String?
    package var isThumbnailHidden = false
    package var clippingRectangle: ClippingRectangle?
    /// A time in a movie in seconds, or the number of an animation's frame.
    package var thumbnailTime: Double?

    package init() {}
}
