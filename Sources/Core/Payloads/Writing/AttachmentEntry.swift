import Foundation
import Media

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

    let file: NotificationAttachment
    let detail: Detail

    /// The entry, or `nil` if it would say nothing: a file that phones cannot fetch has only its inline picture there.
    var json: JSONValue? {
        guard let url = file.url else {
            return inline.map { ["identifier": .string(file.identifier), "inline": $0] }
        }
        var members: [JSONValue.Member] = [
            .init("identifier", .string(file.identifier)), .init("url", .string(url)),
            .init("type", .string(file.type)),
        ]
        if detail <= .clippingRectangle, let part = file.thumbnailClippingRectangle {
            members.append(.init("thumbnailClippingRect", part.json))
        }
        if detail <= .byteCount, let count = file.byteCount { members.append(.init("bytes", .integer(count))) }
        if detail <= .digest, let digest = file.sha256 { members.append(.init("sha256", .string(digest))) }
        if let inline { members.append(.init("inline", inline)) }
        return .object(members)
    }

    /// The inline picture, if the file has one and `detail` includes it.
    var inline: JSONValue? {
        guard detail <= .thumbHash, let inline = file.inline else { return nil }
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
