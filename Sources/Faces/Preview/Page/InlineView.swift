import Foundation
import Payloads

/// The tiny picture of an attachment that a phone without network shows, as it stands in the rewritten payload.
struct InlineView {
    /// The picture as a `data:` URL, or `nil` if the payload has its ThumbHash only.
    let url: String?
    /// Its part of the payload's size.
    let size: String

    /// Finds the picture in the payload's array of ready attachments, or returns `nil` if there is none.
    init?(of identifier: String, in payload: JSONValue) {
        guard case .array(let entries) = payload["attachments"],
            let inline = entries.first(where: { $0["identifier"]?.text == identifier })?["inline"]
        else { return nil }
        let type = inline["type"]?.text ?? ""
        let data = ["image/jpeg", "image/webp"].contains(type) ? inline["data"]?.text : nil
        url = data.map { "data:\(type);base64,\($0)" }
        size = "\(ShownNumber.size(inline.compactBytes.count)) of the payload" + (data == nil ? ", a ThumbHash" : "")
    }
}
