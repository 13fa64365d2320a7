/// The requirements for a delivered attachment: formats, sizes and budgets, as the receiving platform wants them.
///
/// A limit always holds. A budget is a target, which a rung may miss only by becoming a cheaper rung.
package struct Profile: Sendable, Equatable {
    package var name: String
    package var image: ImageRules
    /// The rules for animations. `nil` delivers an animation as its first frame.
    package var animation: AnimationRules?
    /// The rules for video clips. `nil` delivers a video as one of its frames.
    package var video: VideoRules?
    /// The rules for sound. `nil` delivers no sound.
    package var audio: AudioRules?
    /// A Boolean value that indicates whether attachd crops a picture to the rectangle that its attachment's options
    /// name. Some versions of the system ignore the rectangle.
    package var cropsToClippingRectangle = false
    /// The JSON pointer to the place of the inline picture in the payload of a Live Activity, whose `*` take the values of
    /// the URL's. `nil` leaves Live Activities as they are.
    package var inlinePointer: String?
    /// The values of `aps.category` that choose this profile.
    package var categories: [String] = []

    package init(
        name: String,
        image: ImageRules,
        animation: AnimationRules?,
        video: VideoRules? = nil,
        audio: AudioRules? = nil,
    ) {
        self.name = name
        self.image = image
        self.animation = animation
        self.video = video
        self.audio = audio
    }
}

extension Profile {
    /// The formats that an attachment can have.
    package var outputFormats: Set<OutputFormat> {
        Set(OutputFormat.allCases.filter(image.allows))
    }
}

/// The rules for still pictures.
package struct ImageRules: Sendable, Hashable, Encodable {
    /// The most pixels that the longer side may have.
    package var longEdge: Int
    /// The width and height of the shape to which a picture is cropped. `nil` keeps the shape.
    package var aspectRatio: AspectRatio?
    package var byteBudget: Int
    package var byteLimit: Int
    /// A Boolean value that indicates whether a transparent picture stays transparent (PNG), where that meets the byte
    /// budget.
    package var keepsTransparency: Bool
    /// The formats of pictures, the preferred one first. The last is `OutputFormat.fallback`.
    package var formats: [OutputFormat]
    /// The tiny picture that the payload itself carries.
    package var inline: InlineRule

    package init(
        longEdge: Int,
        aspectRatio: AspectRatio? = nil,
        byteBudget: Int,
        byteLimit: Int,
        keepsTransparency: Bool = true,
        formats: [OutputFormat] = [.fallback],
        inline: InlineRule = .off,
    ) {
        self.longEdge = longEdge
        self.aspectRatio = aspectRatio
        self.byteBudget = byteBudget
        self.byteLimit = byteLimit
        self.keepsTransparency = keepsTransparency
        self.formats = formats
        self.inline = inline
    }
}

extension ImageRules {
    /// The preferred format.
    package var format: OutputFormat { formats.first ?? .fallback }

    /// The same rules for what an iPhone may get.
    package var forIPhones: ImageRules { limited(to: \.isShownByIPhones) }

    /// The same rules for what must be made at once.
    package var inHurry: ImageRules { limited(to: \.isQuick) }

    private func limited(to property: KeyPath<OutputFormat.Properties, Bool>) -> ImageRules {
        var rules = self
        rules.formats.removeAll { !$0.properties[keyPath: property] }
        return rules
    }

    /// Returns whether an output may have that format. Optional formats are allowed only if the profile lists them.
    package func allows(_ format: OutputFormat) -> Bool {
        formats.contains(format) || !OutputFormat.optional.contains(format)
    }
}

/// A picture's shape, as width to height.
package struct AspectRatio: Sendable, Hashable, Encodable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// The rules for animations, which are delivered as GIF.
package struct AnimationRules: Sendable, Hashable, Encodable {
    package var longEdge: Int
    package var byteBudget: Int
    package var byteLimit: Int

    package init(longEdge: Int, byteBudget: Int, byteLimit: Int) {
        self.longEdge = longEdge
        self.byteBudget = byteBudget
        self.byteLimit = byteLimit
    }
}

/// The rules for video clips, which are delivered as MP4 with H.264 and AAC.
package struct VideoRules: Sendable, Hashable, Encodable {
    /// The longest that a clip may be, and its length where the sender asks for none.
    package var duration: Duration
    /// The shortest beginning of a clip that is better than its poster where time runs out; `nil` if only whole clips are.
    package var shortest: Duration?
    package var longEdge: Int
    package var byteBudget: Int
    package var byteLimit: Int

    package init(duration: Duration, shortest: Duration? = nil, longEdge: Int, byteBudget: Int, byteLimit: Int) {
        self.duration = duration
        self.shortest = shortest
        self.longEdge = longEdge
        self.byteBudget = byteBudget
        self.byteLimit = byteLimit
    }
}

/// The rules for sound, which is delivered as M4A, MP3 or WAV.
package struct AudioRules: Sendable, Hashable, Encodable {
    /// The longest that a clip may be, and its length where the sender asks for none.
    package var duration: Duration
    package var byteBudget: Int
    package var byteLimit: Int

    package init(duration: Duration, byteBudget: Int, byteLimit: Int) {
        self.duration = duration
        self.byteBudget = byteBudget
        self.byteLimit = byteLimit
    }
}

extension Profile {
    /// The profile for Apple's devices. Apple's limits are 10 MB for an image, 50 MB for a movie and 5 MB for sound;
    /// 1038 px, 500 kB and 5 MB are what senders recommend for iOS.
    package static let apns = Profile(
        name: "apns",
        image: ImageRules(longEdge: 1038, byteBudget: 500_000, byteLimit: 10_000_000),
        animation: AnimationRules(longEdge: 1038, byteBudget: 2_000_000, byteLimit: 10_000_000),
        video: VideoRules(
            duration: .seconds(10),
            shortest: .seconds(3),
            longEdge: 720,
            byteBudget: 5_000_000,
            byteLimit: 50_000_000,
        ),
        audio: AudioRules(duration: .seconds(30), byteBudget: 5_000_000, byteLimit: 5_000_000),
    )

    /// The profile for Firebase's Android client, which reads 1 MiB at most and shows a still picture.
    package static let fcm = Profile(
        name: "fcm",
        image: ImageRules(longEdge: 1038, byteBudget: 500_000, byteLimit: 1_048_576),
        animation: nil,
    )

    /// The profile for browsers, which show a 2:1 picture, and WebP in every version that shows pictures at all.
    package static let webpush = Profile(
        name: "webpush",
        image: ImageRules(
            longEdge: 1024,
            aspectRatio: AspectRatio(width: 2, height: 1),
            byteBudget: 500_000,
            byteLimit: 1_048_576,
            formats: [.webp, .jpeg],
        ),
        animation: nil,
    )

    /// The profile for the small pictures of browsers and Android: icons, and badges of which only the transparency is
    /// shown. Their budget holds any PNG of that size.
    package static let webpushIcon = Profile(
        name: "webpush-icon",
        image: ImageRules(longEdge: 256, byteBudget: 300_000, byteLimit: 1_048_576),
        animation: nil,
    )

    package static let builtIn = [apns, fcm, webpush, webpushIcon]
}

// MARK: - Inline pictures

/// A tiny picture that a payload carries itself, for a phone without network.
package struct InlinePicture: Sendable, Hashable {
    /// The most bytes of one of the pictures. A payload has at most 4,096.
    package static let byteLimit = 1500
    /// The most files of different sizes.
    package static let pictureLimit = 2
    /// The most pixels of the longer side.
    package static let longestEdge = 96

    /// The picture as a ThumbHash (evanw.github.io/thumbhash): its shape and its colors in waves, about 25 bytes.
    package var thumbHash: [UInt8]
    /// The format of `pictures`, which is one of the formats that a profile can list.
    package var format: OutputFormat
    /// The same picture as files of different sizes, the largest first. It is empty where the ThumbHash is enough.
    package var pictures: [[UInt8]]

    /// Returns whether the bytes have the form of a ThumbHash: its header says how many waves follow.
    package static func isThumbHash(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        guard bytes.count >= 5 else { return false }
        let hasAlpha = bytes[2] & 0x80 != 0
        let isWide = bytes[4] & 0x80 != 0
        let shorter = Int(bytes[3] & 7)
        let longer = hasAlpha ? 5 : 7
        let (across, down) = isWide ? (longer, shorter) : (shorter, longer)
        // The waves below the diagonal, without the mean.
        func waves(_ columns: Int, _ rows: Int) -> Int {
            (0..<rows).reduce(-1) { $0 + (columns * (rows - $1) + rows - 1) / rows }
        }
        let all = waves(max(3, across), max(3, down)) + 2 * waves(3, 3) + (hasAlpha ? waves(5, 5) : 0)
        return bytes.count == 5 + (hasAlpha ? 1 : 0) + (all + 1) / 2
    }

    package init(thumbHash: [UInt8], format: OutputFormat = .fallback, pictures: [[UInt8]] = []) {
        self.thumbHash = thumbHash
        self.format = format
        self.pictures = pictures
    }
}

/// The kind of inline picture that a profile wants.
package enum InlineRule: String, Sendable, Hashable, CaseIterable, Encodable {
    case off
    /// A ThumbHash.
    case hash
    /// A ThumbHash, and a picture of up to 1,500 bytes where the payload has room for it.
    case auto
}
