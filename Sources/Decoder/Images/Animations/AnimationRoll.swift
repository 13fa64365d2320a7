import CVips
import CVipsShim
import DecoderWire
import Values

/// The frames of an animation in memory, of one size and below each other.
struct AnimationRoll: ~Copyable {
    let frameSize: PixelSize
    /// The number of times the animation plays; 0 for endlessly.
    let loop: Int
    /// The time of each frame, in milliseconds.
    private(set) var delays: [Int] = []
    private let picture: Picture

    /// Creates an empty roll with memory for `capacity` frames like `frame`.
    init(like frame: borrowing Picture, capacity: Int, loop: Int) throws(DecodeError) {
        picture = try unsafe Picture.make("roll") { made in
            unsafe cvips_roll_new(frame.image, Int32(clamping: capacity), &made)
        }
        frameSize = frame.size
        self.loop = loop
    }

    var count: Int { delays.count }
    var duration: Int { delays.reduce(0, +) }
    var meanDelay: Int { duration / max(1, count) }

    mutating func append(_ frame: borrowing Picture, delay: Int) throws(DecodeError) {
        guard unsafe cvips_roll_set(picture.image, Int32(clamping: count), frame.image) == 0 else {
            throw VipsError("roll").failure
        }
        delays.append(delay)
    }

    func frame(at index: Int) throws(DecodeError) -> Picture {
        let top = index * frameSize.height
        return try picture.cropped(to: PixelArea(x: 0, y: top, width: frameSize.width, height: frameSize.height))
    }

    /// - Parameters:
    ///   - frames: The number of frames to write, from the first on.
    ///   - colours: The most colours of a frame, up to 256, one of which is transparent.
    /// - Returns: A GIF.
    /// - Throws: The error of libvips.
    func gif(frames: Int, colours: Int) throws(DecodeError) -> EncodedBytes {
        let delays = delays.prefix(frames).map { Int32(clamping: $0) }
        let (height, count) = (Int32(clamping: frameSize.height), Int32(clamping: delays.count))
        let (loop, colours) = (Int32(clamping: loop), Int32(clamping: colours))
        return try unsafe EncodedBytes.make("animation") { bytes, byteCount in
            unsafe cvips_animation_save(picture.image, height, delays, count, loop, colours, &bytes, &byteCount)
        }
    }
}
