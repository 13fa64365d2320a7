/// A file format that attachd recognises from the bytes alone.
package enum MediaFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, heic, avif, tiff
    case mp4, m4v, quickTime, threeGPP, webm, matroska, avi, mpegProgramStream, mpegTransportStream
    case mp3, m4a, aac, wav, aiff, flac, ogg

    /// The kind of medium. An animation is an image until it has been opened.
    package enum Kind: String, Sendable {
        case image, video, audio
    }

    package var kind: Kind {
        switch self {
        case .jpeg, .png, .gif, .webp, .heic, .avif, .tiff: .image
        case .mp4, .m4v, .quickTime, .threeGPP, .webm, .matroska, .avi, .mpegProgramStream, .mpegTransportStream: .video
        case .mp3, .m4a, .aac, .wav, .aiff, .flac, .ogg: .audio
        }
    }

    /// The uniform type identifier, as in `UNNotificationAttachment.type`.
    package var typeIdentifier: String {
        switch self {
        case .jpeg: "public.jpeg"
        case .png: "public.png"
        case .gif: "com.compuserve.gif"
        case .webp: "org.webmproject.webp"
        case .heic: "public.heic"
        case .avif: "public.avif"
        case .tiff: "public.tiff"
        case .mp4: "public.mpeg-4"
        case .m4v: "com.apple.m4v-video"
        case .quickTime: "com.apple.quicktime-movie"
        case .threeGPP: "public.3gpp"
        case .webm: "org.webmproject.webm"
        case .matroska: "org.matroska.mkv"
        case .avi: "public.avi"
        case .mpegProgramStream: "public.mpeg"
        case .mpegTransportStream: "public.mpeg-2-transport-stream"
        case .mp3: "public.mp3"
        case .m4a: "public.mpeg-4-audio"
        case .aac: "public.aac-audio"
        case .wav: "com.microsoft.waveform-audio"
        case .aiff: "public.aiff-audio"
        case .flac: "org.xiph.flac"
        case .ogg: "org.xiph.ogg-audio"
        }
    }

    /// The media type that HTTP uses (RFC 9110, `Content-Type`).
    package var mimeType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .heic: "image/heic"
        case .avif: "image/avif"
        case .tiff: "image/tiff"
        case .mp4: "video/mp4"
        case .m4v: "video/x-m4v"
        case .quickTime: "video/quicktime"
        case .threeGPP: "video/3gpp"
        case .webm: "video/webm"
        case .matroska: "video/x-matroska"
        case .avi: "video/x-msvideo"
        case .mpegProgramStream: "video/mpeg"
        case .mpegTransportStream: "video/mp2t"
        case .mp3: "audio/mpeg"
        case .m4a: "audio/mp4"
        case .aac: "audio/aac"
        case .wav: "audio/wav"
        case .aiff: "audio/aiff"
        case .flac: "audio/flac"
        case .ogg: "audio/ogg"
        }
    }

    /// The extension of a delivered file. The device decides by it what an attachment is.
    package var filenameExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .quickTime: "mov"
        case .threeGPP: "3gp"
        case .matroska: "mkv"
        case .mpegProgramStream: "mpg"
        case .mpegTransportStream: "ts"
        case .aiff: "aif"
        default: rawValue
        }
    }
}
