import Media
import Payloads
import Values

/// The thumbnail beside a collapsed notification, as the attachment's options define it.
struct ThumbnailView {
    let isShown: Bool
    /// The crop as `x y width height`, in fractions of the picture. An attachment that was cropped before is not
    /// cropped again.
    let crop: String
    /// The time in a movie, in seconds, or the number of an animation's frame.
    let time: Double
    /// The options as text.
    let notes: [String]

    init(_ options: AttachmentOptions, isSound: Bool, isAnimation: Bool, isClipped: Bool) {
        isShown = !isSound && !options.isThumbnailHidden
        time = options.thumbnailTime ?? 0
        var notes: [String] = []
        if options.isThumbnailHidden { notes.append("thumbnail hidden") }
        if let part = options.clippingRectangle {
            crop = isClipped ? "0 0 1 1" : "\(part.x) \(part.y) \(part.width) \(part.height)"
            notes.append(isClipped ? "cropped to the clipping rectangle" : "thumbnail cropped")
        } else {
            crop = "0 0 1 1"
        }
        if let time = options.thumbnailTime {
            notes.append(isAnimation ? "thumbnail of frame \(Int(clamping: time))" : "thumbnail at \(time) s")
        }
        self.notes = notes
    }
}
