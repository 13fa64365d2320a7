import CLinux
import Glibc

/// The worker's request to a decoder process to convert one source.
package struct ConversionRequest: Sendable, Equatable {
    /// The format that `MediaSniffer` found from the bytes. The decoder calls that loader and no other.
    package var format: MediaFormat
    package var image: ImageRules
    package var animation: AnimationRules?
    /// The part of the upright picture to keep. `nil` keeps all of it.
    package var clippingRectangle: ClippingRectangle?
    /// The point that stays visible where the profile crops. `nil` is what draws attention.
    package var focus: FocalPoint?
    package var video: VideoRules?
    package var audio: AudioRules?
    package var clip: ClipSelection
    package var limits: MediaLimits
    /// The rungs worth trying in the time left. The decoder leaves out those that the source cannot use.
    package var rungs: Set<Rung>
    /// The longer side in pixels of a thumbnail (JPEG) of the result, for pages that show many results; `nil` for no
    /// thumbnail. A source without pictures never has one.
    package var thumbnailEdge: Int?
    /// The time until the deadline when a decoder process takes the job. The decoder does less where a clip would take longer.
    package var timeLeft: Duration?
    /// The formats and codecs that are switched off. The decoder pool sets them when a decoder process takes the job.
    package var disabled: DisabledFormats

    package init(
        format: MediaFormat,
        image: ImageRules,
        animation: AnimationRules?,
        clippingRectangle: ClippingRectangle? = nil,
        focus: FocalPoint? = nil,
        video: VideoRules? = nil,
        audio: AudioRules? = nil,
        clip: ClipSelection = ClipSelection(),
        limits: MediaLimits = MediaLimits(),
        rungs: Set<Rung> = Set(Rung.allCases),
        thumbnailEdge: Int? = nil,
        timeLeft: Duration? = nil,
        disabled: DisabledFormats = DisabledFormats(),
    ) {
        self.format = format
        self.image = image
        self.animation = animation
        self.clippingRectangle = clippingRectangle
        self.focus = focus
        self.video = video
        self.audio = audio
        self.clip = clip
        self.limits = limits
        self.rungs = rungs
        self.thumbnailEdge = thumbnailEdge
        self.timeLeft = timeLeft
        self.disabled = disabled
    }
}

/// The requested part of a video or of sound.
package struct ClipSelection: Sendable, Hashable, Encodable {
    /// The start of the clip in the source.
    package var start: Duration
    /// The length of the clip, up to the maximum of the profile; `nil` for that maximum.
    package var duration: Duration?
    /// The frame for the video's poster; `nil` for one of the first frames that show something.
    package var thumbnailTime: Duration?

    package init(start: Duration = .zero, duration: Duration? = nil, thumbnailTime: Duration? = nil) {
        self.start = start
        self.duration = duration
        self.thumbnailTime = thumbnailTime
    }
}

extension ConversionRequest {
    /// Returns whether `report` describes the best output that a whole source can have.
    package func isLast(_ report: RungReport) -> Bool {
        switch report.rung.properties.finality {
        case .last: true
        case .improvable: false
        case .lastWithoutAnimation: animation == nil
        case .lastWithoutVideo: video == nil
        case .lastWithinBudget:
            report.byteCount <= (report.format.kind == .video ? video?.byteBudget : audio?.byteBudget) ?? 0
        }
    }

    /// The most bytes of one output.
    package var largestOutput: Int {
        let limits = [animation?.byteLimit, video?.byteLimit, audio?.byteLimit].compactMap(\.self)
        return limits.reduce(image.byteLimit, max)
    }
}

/// A decoder's report of the source, once it has read the header.
package struct SourceReport: Sendable, Equatable {
    /// The width in pixels, after orientation is applied; `nil` for sound.
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    package var durationMilliseconds: Int?

    package init(width: Int? = nil, height: Int? = nil, frames: Int? = nil, durationMilliseconds: Int? = nil) {
        self.width = width
        self.height = height
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
    }
}

/// A decoder's report of one finished output.
package struct RungReport: Sendable, Equatable {
    package var rung: Rung
    package var format: OutputFormat
    package var byteCount: Int
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    package var durationMilliseconds: Int?
    /// The middle of the square that draws attention in a picture; `nil` if it was not looked for.
    package var focus: FocalPoint?
    /// The tiny version for the payload; `nil` if none was wanted, or an earlier output of the source has it.
    package var inline: InlinePicture?
    /// The content of the source's wanted part; `nil` for a picture.
    package var account: ClipAccount?

    package init(
        rung: Rung,
        format: OutputFormat,
        byteCount: Int,
        width: Int? = nil,
        height: Int? = nil,
        frames: Int? = nil,
        durationMilliseconds: Int? = nil,
        focus: FocalPoint? = nil,
        inline: InlinePicture? = nil,
        account: ClipAccount? = nil,
    ) {
        self.rung = rung
        self.format = format
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
        self.focus = focus
        self.inline = inline
        self.account = account
    }
}

/// A decoder's account of what it has read of the part of a source that a clip is made of. The worker compares it with the
/// finished clip.
package struct ClipAccount: Sendable, Equatable {
    /// The packets of one kind, and their duration by two measures that do not share a mistake. Neither is longer than the
    /// wanted part after the stream's first packet.
    package struct Stream: Sendable, Equatable {
        package var packets: Int
        /// The sum of the packets' durations.
        package var packetMilliseconds: Int
        /// The sum of the positive steps from one packet's decoding time to the next.
        package var stepMilliseconds: Int

        package init(packets: Int, packetMilliseconds: Int = 0, stepMilliseconds: Int = 0) {
            self.packets = packets
            self.packetMilliseconds = packetMilliseconds
            self.stepMilliseconds = stepMilliseconds
        }
    }

    /// The stream of pictures; `nil` if the source has none.
    package var video: Stream?
    /// The stream of sound, even one whose codec is not decoded; `nil` if the source has none.
    package var sound: Stream?
    /// The duration of the whole source as its container declares it.
    package var declaredMilliseconds: Int?
    /// A Boolean value that indicates whether the source ended before packets of the wanted part that its index lists.
    package var endsEarly: Bool

    package init(
        video: Stream? = nil,
        sound: Stream? = nil,
        declaredMilliseconds: Int? = nil,
        endsEarly: Bool = false,
    ) {
        self.video = video
        self.sound = sound
        self.declaredMilliseconds = declaredMilliseconds
        self.endsEarly = endsEarly
    }
}

// MARK: - Outputs

/// Memory of fixed size into which a decoder process writes one output.
///
/// It is sealed against growing and shrinking before a decoder sees it, so that the decoder's claim about its length
/// can be checked.
package final class OutputFile: Sendable {
    package let descriptor: Int32
    package let capacity: Int

    package init(capacity: Int) throws(AttachmentFailure) {
        let descriptor = unsafe clinux_memory_file("output")
        guard descriptor >= 0 else {
            let message = "The worker has no memory for the output. Raise its limits for memory and open files."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
        self.descriptor = descriptor
        self.capacity = capacity
        guard clinux_seal_size(descriptor, capacity) == 0 else {
            let message = "The worker has no memory for the output. Raise its memory limit."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
    }

    deinit { close(descriptor) }

    /// Returns up to `count` bytes from the start.
    package func prefix(_ count: Int) -> [UInt8] {
        let wanted = max(0, min(count, capacity))
        return unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, wanted, 0))
        }
    }
}

/// One output that is complete and checked: ready to be delivered.
package struct ReadyRung: Sendable {
    package var report: RungReport
    package var file: OutputFile

    package init(report: RungReport, file: OutputFile) {
        self.report = report
        self.file = file
    }
}

// MARK: - Limits

/// The limits of one source, checked from its header before anything is decoded.
package struct MediaLimits: Sendable, Hashable, Encodable {
    /// The most bytes to download.
    package var sourceBytes: Int
    /// The most pixels of one frame.
    package var framePixels: Int
    /// The most pixels of a picture that its loader reads in parts, or shrinks while it reads.
    package var reducedPixels: Int
    /// The most pixels of all frames together.
    package var totalPixels: Int
    /// The longest side of a source, in pixels.
    package var side: Int
    package var frames: Int
    /// The memory that one decoder process may use.
    package var memoryBytes: Int

    /// The longest duration of a source. Damaged files claim more, which is treated as unknown.
    package static let longestDuration: Duration = .seconds(31_536_000)

    package init(
        sourceBytes: Int = 100_000_000,
        framePixels: Int = 50_000_000,
        reducedPixels: Int = 200_000_000,
        totalPixels: Int = 50_000_000,
        side: Int = 65_500,
        frames: Int = 500,
        memoryBytes: Int = 2_147_483_648,
    ) {
        self.sourceBytes = sourceBytes
        self.framePixels = framePixels
        self.reducedPixels = reducedPixels
        self.totalPixels = totalPixels
        self.side = side
        self.frames = frames
        self.memoryBytes = memoryBytes
    }
}

// MARK: - Parts of a picture

/// The point of an upright picture that must stay visible when the picture is cropped. Both numbers are fractions of the
/// whole, from 0 to 1.
package struct FocalPoint: Sendable, Hashable, Encodable {
    package var x: Double
    package var y: Double

    /// Creates a point, or returns `nil` if it lies outside the picture.
    package init?(x: Double, y: Double) {
        guard (0...1).contains(x), (0...1).contains(y) else { return nil }
        self.x = x
        self.y = y
    }
}

/// The part of a picture that its thumbnail shows. All numbers are fractions of the whole, from 0 to 1.
package struct ClippingRectangle: Sendable, Hashable, Encodable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    /// Creates a rectangle, or returns `nil` if it is empty or leaves the picture.
    package init?(x: Double, y: Double, width: Double, height: Double) {
        // Decimals such as 0.9 + 0.1 have no exact sum in binary.
        let edge = 1.000_001
        guard x >= 0, y >= 0, width > 0, height > 0, x + width <= edge, y + height <= edge else { return nil }
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the largest square of a picture that is as near as possible to `focus`, or returns `nil` if the picture is
    /// nearly a square itself.
    package init?(squareAround focus: FocalPoint, width: Int, height: Int) {
        let short = min(width, height)
        guard short > 0, Self.ratios.contains(Double(max(width, height)) / Double(short)) else { return nil }
        let (across, down) = (Double(short) / Double(width), Double(short) / Double(height))
        self.init(
            x: min(max(0, focus.x - across / 2), 1 - across),
            y: min(max(0, focus.y - down / 2), 1 - down),
            width: across,
            height: down,
        )
    }

    /// The ratios of sides for which a square leaves out something, and shows something.
    private static let ratios = 1.1...100.0
}
