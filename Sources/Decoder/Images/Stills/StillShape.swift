import DecoderWire
import Media
import Values

/// The shape of a still picture: the part of the frame that is kept, and its final size.
///
/// All values are for the stored orientation, because the few remaining pixels are turned last.
struct StillShape {
    /// The factor by which a picture that the loader has shrunk must exceed its target, so that the best filter comes
    /// last. With 1.5, a photo keeps more than 36 dB, including JPEG's own losses.
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

    /// The factor by which the loader shrinks for full quality.
    var shrink: Int {
        largestShrink { area.size.longEdge >= Int(clamping: Double(target.longEdge * $0) * Self.headroom) }
    }

    /// The largest factor that leaves at least half of the target's size.
    var fastShrink: Int { largestShrink { area.size.longEdge / $0 >= (target.longEdge + 1) / 2 } }

    private func largestShrink(where isEnough: (Int) -> Bool) -> Int { [8, 4, 2].first(where: isEnough) ?? 1 }

    /// Returns the part of `loaded` that is kept.
    func crop(_ loaded: borrowing Picture) throws(DecodeError) -> Picture {
        try loaded.cropped(to: area.scaled(from: whole, to: loaded.size))
    }

    /// Returns the final size of the cropped part. It is never scaled up, even if the loader shrank it too far.
    func size(of cropped: PixelSize) -> PixelSize {
        cropped.width < target.width || cropped.height < target.height ? cropped : target
    }
}
