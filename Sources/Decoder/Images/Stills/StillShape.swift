import DecoderWire
import Media
import Values

/// The shape of a still picture: the part of the frame that is kept, and its final size.
///
/// The values are for the stored orientation, because the few remaining pixels are turned last.
struct StillShape {
    /// The factor by which a picture that the loader has shrunk must exceed its target, so that the best filter comes
    /// last. With 1.5, a photo keeps more than 36 dB, including JPEG's own losses.
    private static let headroom = 1.5
    /// The most pixels, in pixels of the result, that are scaled to find what draws attention among them.
    private static let searchFactor = 6

    let whole: PixelSize
    /// The part that is scaled.
    let area: PixelArea
    /// The size to which it is scaled.
    let target: PixelSize
    /// The size to which the upright result is cropped, around what draws attention. `nil` leaves it as it is.
    let croppedSize: PixelSize?
    let orientation: Int

    init(
        of header: PictureHeader,
        rules: ImageRules,
        clipping rectangle: ClippingRectangle? = nil,
        focus: FocalPoint? = nil,
    ) {
        whole = header.storedSize
        orientation = header.orientation
        let upright = header.size
        let kept = rectangle.map { PixelArea($0, of: upright) } ?? PixelArea(size: upright, in: upright)
        let part = kept.area(ofShape: rules.aspectRatio, around: focus, in: upright)
        let final = part.size.fitting(longEdge: rules.longEdge)
        let all = kept.size.scaled(by: Double(final.longEdge) / Double(part.size.longEdge), atLeast: final)
        let searches = part != kept && focus == nil && all.pixels <= final.pixels * Self.searchFactor
        croppedSize = searches ? final : nil
        area = (searches ? kept : part).stored(in: upright, orientation: orientation)
        let size = searches ? all : final
        target = header.isTransposed ? size.transposed : size
    }

    /// The factor by which the loader shrinks for full quality.
    var shrink: Int {
        largestShrink { area.size.longEdge >= Int(clamping: Double(target.longEdge * $0) * Self.headroom) }
    }

    /// The largest factor that leaves at least half of the target's size.
    var fastShrink: Int { largestShrink { area.size.longEdge / $0 >= (target.longEdge + 1) / 2 } }

    private func largestShrink(where isEnough: (Int) -> Bool) -> Int {
        PictureLoader.largestShrink(of: whole, where: isEnough)
    }

    /// Returns the part of `loaded` that is scaled.
    func crop(_ loaded: borrowing Picture) throws(DecodeError) -> Picture {
        try loaded.cropped(to: area(in: loaded.size))
    }

    /// Returns the part that is scaled of a picture that the loader shrank to the size `loaded`.
    func area(in loaded: PixelSize) -> PixelArea { area.scaled(from: whole, to: loaded) }

    /// Returns the size to which that part is scaled. It is never scaled up, even if the loader shrank it too far.
    func size(of cropped: PixelSize) -> PixelSize {
        cropped.width < target.width || cropped.height < target.height ? cropped : target
    }

    /// Returns the part of the scaled and upright picture that is delivered, in memory.
    func finish(_ upright: consuming Picture) throws(DecodeError) -> Picture {
        let scaled = try upright.inMemory()
        guard let croppedSize else { return scaled }
        let part = scaled.size.area(ofShape: croppedSize.ratio).size
        let size = PixelSize(width: min(part.width, croppedSize.width), height: min(part.height, croppedSize.height))
        guard size != scaled.size else { return scaled }
        return try scaled.cropped(to: scaled.attention(size)).inMemory()
    }
}

extension PixelSize {
    /// Returns the size times `factor`, rounded, but not smaller than `least`.
    fileprivate func scaled(by factor: Double, atLeast least: PixelSize) -> PixelSize {
        PixelSize(
            width: max(least.width, Int(clamping: (Double(width) * factor).rounded())),
            height: max(least.height, Int(clamping: (Double(height) * factor).rounded())),
        )
    }
}
