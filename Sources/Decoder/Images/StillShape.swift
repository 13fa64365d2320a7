import DecoderWire
import Media
import Values

/// How one frame of a source becomes a still picture: the part that is kept, and the size it gets.
///
/// All of it in the stored orientation, because pixels are turned last, when there are few of them.
struct StillShape {
    /// How much larger than its target a loader's own shrinking must leave a picture, so that the last and best
    /// filter decides how it looks. With 1.5 a photo keeps more than 36 dB, JPEG's own losses included.
    private static let headroom = 1.5

    let whole: PixelSize
    let area: PixelArea
    let target: PixelSize
    let orientation: Int

    init(of header: PictureHeader, rules: ImageRules, clipping rectangle: ClippingRectangle? = nil) {
        whole = header.storedSize
        orientation = header.orientation
        let ratio = rules.aspectRatio.map { ratio in
            header.isTransposed ? AspectRatio(width: ratio.height, height: ratio.width) : ratio
        }
        area = header.area(within: rectangle).area(ofShape: ratio)
        target = area.size.fitting(longEdge: rules.longEdge)
    }

    /// The loader's own shrinking for the full quality.
    var shrink: Int {
        largestShrink { area.size.longEdge >= Int(clamping: Double(target.longEdge * $0) * Self.headroom) }
    }

    /// The most shrinking that leaves at least half of the target's size.
    var fastShrink: Int { largestShrink { area.size.longEdge / $0 >= (target.longEdge + 1) / 2 } }

    private func largestShrink(where isEnough: (Int) -> Bool) -> Int { [8, 4, 2].first(where: isEnough) ?? 1 }

    /// The part of `loaded` that is kept.
    func crop(_ loaded: borrowing Picture) throws(DecodeFailure) -> Picture {
        try loaded.cropped(to: area.scaled(from: whole, to: loaded.size))
    }

    /// What a part that was cropped so is scaled to: never up, which a loader's own shrinking would ask for.
    func size(of cropped: PixelSize) -> PixelSize {
        cropped.width < target.width || cropped.height < target.height ? cropped : target
    }
}
