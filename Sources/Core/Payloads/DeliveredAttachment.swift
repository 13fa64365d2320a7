import Base
import FoundationEssentials
package import Media

/// An attachment as it is delivered: its file in the store, and the source that the file was made from.
package struct DeliveredAttachment: Sendable, Equatable {
    /// The sender's identifier, or one made for the attachment, as in `UNNotificationAttachment`.
    package var identifier: String
    package var stored: StoredFile
    package var report: RungReport
    /// The URL as the sender gave it.
    package var sourceURL: String
    package var source: SourceFacts
    /// A Boolean value that indicates whether the file shows only the part that the clipping rectangle of the options named.
    package var isClipped = false
    /// The part of the picture for a thumbnail.
    package var thumbnailClippingRectangle: ClippingRectangle?

    package init(
        _ identifier: String,
        in stored: StoredFile,
        _ report: RungReport,
        from sourceURL: String,
        _ source: SourceFacts,
    ) {
        self.identifier = identifier
        self.stored = stored
        self.report = report
        self.sourceURL = sourceURL
        self.source = source
    }
}

extension DeliveredAttachment {
    /// The URL from which phones fetch the file. `nil` if they cannot: the sender's URL then stays in the payload.
    var url: String? { stored.isLocal ? nil : stored.url }
    var shortURL: String? { stored.isLocal ? nil : stored.shortURL }
    var format: MediaFormat { report.format.media }
    /// The file's size in bytes, or `nil` if the report does not tell it.
    var byteCount: Int? { report.byteCount > 0 ? report.byteCount : nil }
}

// MARK: - Entries of the array

/// An entry of the array of ready attachments.
struct AttachmentEntry {
    /// The parts of an entry beside identifier, URL and type, from most to least. A device can do without all of them; the
    /// part that matters least to it is the first to be left out of a full payload.
    enum Detail: Int, CaseIterable, Comparable {
        case picture
        case smallerPicture
        case thumbHash
        case digest
        case byteCount
        case clippingRectangle
        case none

        /// The file of the inline picture that is in the entry.
        fileprivate var pictureIndex: Int? { self < .thumbHash ? rawValue : nil }

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    let file: DeliveredAttachment
    let detail: Detail

    /// The entry, or `nil` if it would say nothing: a file that phones cannot fetch has only its inline picture there.
    var json: JSONValue? {
        guard let url = file.url else {
            return inline.map { ["identifier": .string(file.identifier), "inline": $0] }
        }
        var members: [JSONValue.Member] = [
            .init("identifier", .string(file.identifier)), .init("url", .string(url)),
            .init("type", .string(file.format.typeIdentifier)),
        ]
        if detail <= .clippingRectangle, let part = file.thumbnailClippingRectangle {
            members.append(.init("thumbnailClippingRect", part.json))
        }
        if detail <= .byteCount, let count = file.byteCount { members.append(.init("bytes", .integer(count))) }
        if detail <= .digest, let digest = file.stored.sha256 { members.append(.init("sha256", .string(digest))) }
        if let inline { members.append(.init("inline", inline)) }
        return .object(members)
    }

    /// The inline picture, if the file has one and `detail` includes it.
    var inline: JSONValue? {
        guard detail <= .thumbHash, let inline = file.report.inline else { return nil }
        var members: [JSONValue.Member] = [.init("thumbhash", Self.base64(inline.thumbHash))]
        if let index = detail.pictureIndex, let picture = inline.pictures.dropFirst(index).first ?? inline.pictures.last
        {
            members.append(.init("type", .string(inline.format.mimeType)))
            members.append(.init("data", Self.base64(picture)))
        }
        return .object(members)
    }

    private static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}

// MARK: - Rectangles

extension ClippingRectangle {
    /// The rectangle as an object whose numbers have three decimals, rounded down so that it stays within the picture.
    var json: JSONValue {
        ["x": Self.number(x), "y": Self.number(y), "width": Self.number(width), "height": Self.number(height)]
    }

    private static func number(_ fraction: Double) -> JSONValue {
        // Decimals such as 0.7 lie a little below in binary.
        let thousandths = Int(clamping: (fraction * 1000 + 0.000_001).rounded(.down))
        guard thousandths > 0 else { return 0 }
        guard thousandths < 1000 else { return 1 }
        var digits = String(thousandths + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return .number("0.\(digits)")
    }
}

// MARK: - Names of formats

extension MediaFormat {
    init?(mimeType: String) {
        let aliases = ["image/jpg": Self.jpeg, "audio/mp3": .mp3, "audio/x-wav": .wav, "audio/x-m4a": .m4a]
        let type = mimeType.lowercased()
        guard let format = aliases[type] ?? Self.allCases.first(where: { $0.mimeType == type }) else { return nil }
        self = format
    }

    package init?(typeIdentifier: String) {
        guard let format = Self.allCases.first(where: { $0.typeIdentifier == typeIdentifier }) else { return nil }
        self = format
    }
}
