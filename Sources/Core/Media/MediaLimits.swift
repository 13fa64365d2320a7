/// The limits of one source, checked from its header before anything is decoded.
package struct MediaLimits: Sendable, Hashable {
    /// The most bytes to download.
    package var sourceBytes: Int
    /// The most pixels of one frame.
    package var framePixels: Int
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
        totalPixels: Int = 50_000_000,
        side: Int = 20_000,
        frames: Int = 500,
        memoryBytes: Int = 2_147_483_648,
    ) {
        self.sourceBytes = sourceBytes
        self.framePixels = framePixels
        self.totalPixels = totalPixels
        self.side = side
        self.frames = frames
        self.memoryBytes = memoryBytes
    }
}
