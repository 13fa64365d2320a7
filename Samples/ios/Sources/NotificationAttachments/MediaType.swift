import Foundation

/// A type of file that the system takes as an attachment (Apple, UNNotificationAttachment, "Supported file types").
struct MediaType: Sendable, Equatable {
    enum Kind { case image, audio, movie }

    /// The uniform type identifier, such as `public.jpeg`.
    let identifier: String
    let kind: Kind
    /// Filename extensions, the usual one first, and media types of HTTP.
    let names: [String]

    var fileExtension: String { names[0] }

    /// The bytes that the system takes at most.
    var limit: Int { kind == .image ? 10_000_000 : kind == .audio ? 5_000_000 : 50_000_000 }

    static let all = [
        MediaType(identifier: "public.jpeg", kind: .image, names: ["jpg", "jpeg", "image/jpeg"]),
        MediaType(identifier: "public.png", kind: .image, names: ["png", "image/png"]),
        MediaType(identifier: "com.compuserve.gif", kind: .image, names: ["gif", "image/gif"]),
        MediaType(identifier: "public.mpeg-4", kind: .movie, names: ["mp4", "video/mp4"]),
        MediaType(identifier: "public.mpeg", kind: .movie, names: ["mpg", "mpeg", "video/mpeg"]),
        MediaType(identifier: "public.mpeg-2-video", kind: .movie, names: ["m2v", "video/mp2"]),
        MediaType(identifier: "public.avi", kind: .movie, names: ["avi", "video/x-msvideo", "video/avi"]),
        MediaType(identifier: "public.mpeg-4-audio", kind: .audio, names: ["m4a", "audio/mp4", "audio/x-m4a"]),
        MediaType(identifier: "public.mp3", kind: .audio, names: ["mp3", "audio/mpeg", "audio/mp3"]),
        MediaType(
            identifier: "com.microsoft.waveform-audio",
            kind: .audio,
            names: ["wav", "audio/wav", "audio/x-wav", "audio/vnd.wave"]
        ),
        MediaType(identifier: "public.aiff-audio", kind: .audio, names: ["aiff", "aif", "audio/aiff", "audio/x-aiff"]),
    ]

    /// Returns the type with this identifier, filename extension or media type.
    static func named(_ name: String?) -> MediaType? {
        guard let name = name?.lowercased() else { return nil }
        return all.first { $0.identifier == name || $0.names.contains(name) }
    }
}
