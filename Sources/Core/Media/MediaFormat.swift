/// A file format that attachd recognises from the bytes alone.
package enum MediaFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, heic, avif, tiff
    case mp4, m4v, quickTime, threeGPP, webm, matroska, avi, mpegProgramStream, mpegTransportStream
    case mp3, m4a, aac, wav, aiff, flac, ogg, caf, amr

    /// The kind of medium. An animation is an image until it has been opened.
    package enum Kind: String, Sendable, Encodable {
        case image, video, audio
    }

    /// All that is known of a format.
    package struct Properties: Sendable {
        package var kind: Kind
        /// The uniform type identifier, as in `UNNotificationAttachment.type`.
        package var typeIdentifier: String
        /// The media type that HTTP uses (RFC 9110, `Content-Type`).
        package var mimeType: String
        /// The extension of a delivered file, if it is not the format's name.
        package var filenameExtension: String?
        /// The codec of every file of this format, if there is only one. A HEIC or AVIF file may have further ones.
        package var ownCodec: MediaCodec?

        fileprivate init(
            _ kind: Kind,
            _ typeIdentifier: String,
            _ mimeType: String,
            extension filenameExtension: String? = nil,
            codec: MediaCodec? = nil,
        ) {
            self.kind = kind
            self.typeIdentifier = typeIdentifier
            self.mimeType = mimeType
            self.filenameExtension = filenameExtension
            ownCodec = codec
        }
    }

    /// The table of formats.
    package var properties: Properties {
        switch self {
        case .jpeg: Properties(.image, "public.jpeg", "image/jpeg", extension: "jpg")
        case .png: Properties(.image, "public.png", "image/png")
        case .gif: Properties(.image, "com.compuserve.gif", "image/gif")
        case .webp: Properties(.image, "org.webmproject.webp", "image/webp")
        case .heic: Properties(.image, "public.heic", "image/heic", codec: .hevc)
        case .avif: Properties(.image, "public.avif", "image/avif", codec: .av1)
        case .tiff: Properties(.image, "public.tiff", "image/tiff")
        case .mp4: Properties(.video, "public.mpeg-4", "video/mp4")
        case .m4v: Properties(.video, "com.apple.m4v-video", "video/x-m4v")
        case .quickTime: Properties(.video, "com.apple.quicktime-movie", "video/quicktime", extension: "mov")
        case .threeGPP: Properties(.video, "public.3gpp", "video/3gpp", extension: "3gp")
        case .webm: Properties(.video, "org.webmproject.webm", "video/webm")
        case .matroska: Properties(.video, "org.matroska.mkv", "video/x-matroska", extension: "mkv")
        case .avi: Properties(.video, "public.avi", "video/x-msvideo")
        case .mpegProgramStream: Properties(.video, "public.mpeg", "video/mpeg", extension: "mpg")
        case .mpegTransportStream: Properties(.video, "public.mpeg-2-transport-stream", "video/mp2t", extension: "ts")
        case .mp3: Properties(.audio, "public.mp3", "audio/mpeg", codec: .mp3)
        case .m4a: Properties(.audio, "public.mpeg-4-audio", "audio/mp4")
        case .aac: Properties(.audio, "public.aac-audio", "audio/aac", codec: .aac)
        case .wav: Properties(.audio, "com.microsoft.waveform-audio", "audio/wav")
        case .aiff: Properties(.audio, "public.aiff-audio", "audio/aiff", extension: "aif")
        case .flac: Properties(.audio, "org.xiph.flac", "audio/flac", codec: .flac)
        case .ogg: Properties(.audio, "org.xiph.ogg-audio", "audio/ogg")
        case .caf: Properties(.audio, "com.apple.coreaudio-format", "audio/x-caf")
        case .amr: Properties(.audio, "org.3gpp.adaptive-multi-rate-audio", "audio/amr")
        }
    }

    package var kind: Kind { properties.kind }
    package var typeIdentifier: String { properties.typeIdentifier }
    package var mimeType: String { properties.mimeType }
    /// The extension of a delivered file. The device decides by it what an attachment is.
    package var filenameExtension: String { properties.filenameExtension ?? rawValue }
    package var ownCodec: MediaCodec? { properties.ownCodec }
}

// MARK: - Codecs

/// A codec that attachd decodes, in whatever container it comes.
package enum MediaCodec: String, Sendable, Hashable, CaseIterable {
    case h264, hevc, vp8, vp9, av1, mpeg4, h263, mpeg1video, mpeg2video, mjpeg, msmpeg4
    case aac, mp3, mp2, opus, vorbis, flac, alac, ac3, eac3, amrnb, amrwb, adpcm, pcm
}

// MARK: - Formats of outputs

/// A format in which attachments are delivered. All that is known of one stands in `properties`.
///
/// The parts that need a library are in tables of the same form, where the compiler demands a row: the encoder and the
/// rewriting of a source in `PictureFormat`, the reader of a finished output in `OutputHeader`.
package enum OutputFormat: String, Sendable, Hashable, CaseIterable, Encodable {
    case jpeg, png, gif, webp
    case mp4, m4a, wav

    /// The format of pictures for which no other format of their profile is possible.
    package static let fallback = jpeg

    package struct Properties: Sendable {
        /// The same format as that of a source.
        package var media: MediaFormat
        /// The classes of outputs that can have it. The profile's rules for them are its bounds.
        package var classes: Set<Rung.Class>
        /// A Boolean value that indicates whether a profile lists it among the formats of its pictures.
        package var isListed = false
        /// A Boolean value that indicates whether iPhones show it in a notification.
        package var isShownByIPhones = true
        /// A Boolean value that indicates whether encoding takes little time, compared with decoding.
        package var isQuick = true
        /// The memory of the encoder for each pixel of the output, in bytes. Most keep a few rows.
        package var encoderBytesPerPixel = 0
    }

    /// The table of output formats.
    package var properties: Properties {
        switch self {
        case .jpeg: Properties(media: .jpeg, classes: [.picture], isListed: true)
        case .png: Properties(media: .png, classes: [.picture])
        case .gif: Properties(media: .gif, classes: [.picture, .animation])
        // Encoding takes twenty times as long as that of a JPEG. libwebp has the picture twice, and its coefficients: 23
        // bytes a pixel for noise.
        case .webp:
            Properties(
                media: .webp,
                classes: [.picture],
                isListed: true,
                isShownByIPhones: false,
                isQuick: false,
                encoderBytesPerPixel: 24,
            )
        case .mp4: Properties(media: .mp4, classes: [.video])
        case .m4a: Properties(media: .m4a, classes: [.sound])
        case .wav: Properties(media: .wav, classes: [.sound])
        }
    }

    /// The formats that pictures have only under a profile that lists them.
    package static let optional = allCases.filter { $0.properties.isListed && $0 != fallback }

    /// Returns `nil` if attachments are not delivered in the format.
    package init?(_ format: MediaFormat) {
        guard let found = Self.allCases.first(where: { $0.media == format }) else { return nil }
        self = found
    }

    /// Returns the format of the bytes, or `nil` if attachments are not delivered in it.
    package init?(of bytes: Span<UInt8>) {
        guard let format = MediaSniffer.format(of: bytes) else { return nil }
        self.init(format)
    }

    package var media: MediaFormat { properties.media }
    package var kind: MediaFormat.Kind { media.kind }
    package var typeIdentifier: String { media.typeIdentifier }
    package var mimeType: String { media.mimeType }
    package var filenameExtension: String { media.filenameExtension }
}
