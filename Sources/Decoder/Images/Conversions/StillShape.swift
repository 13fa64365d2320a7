import Base
import DecoderWire
import Media

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

// MARK: - Areas

/// A rectangular part of a picture, in pixels.
struct PixelArea: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates an area in the middle of `whole`.
    init(size: PixelSize, in whole: PixelSize) {
        x = (whole.width - size.width) / 2
        y = (whole.height - size.height) / 2
        width = size.width
        height = size.height
    }

    /// Creates the area that `rectangle` names in a picture of `size`, rounded to whole pixels.
    init(_ rectangle: ClippingRectangle, of size: PixelSize) {
        func pixels(_ start: Double, _ length: Double, of side: Int) -> (start: Int, count: Int) {
            let first = min(side - 1, Int(clamping: (start * Double(side)).rounded()))
            let end = min(side, Int(clamping: ((start + length) * Double(side)).rounded()))
            return (first, max(1, end - first))
        }
        (x, width) = pixels(rectangle.x, rectangle.width, of: size.width)
        (y, height) = pixels(rectangle.y, rectangle.height, of: size.height)
    }

    var size: PixelSize { PixelSize(width: width, height: height) }
    var ratio: AspectRatio { size.ratio }

    /// Returns the same area in a picture that a loader shrank from `whole` to `shrunk`.
    func scaled(from whole: PixelSize, to shrunk: PixelSize) -> PixelArea {
        guard whole != shrunk else { return self }
        func scale(_ value: Int, _ from: Int, _ to: Int) -> Int {
            Int(clamping: (Double(value) * Double(to) / Double(from)).rounded())
        }
        let size = PixelSize(
            width: min(shrunk.width, scale(width, whole.width, shrunk.width)),
            height: min(shrunk.height, scale(height, whole.height, shrunk.height)),
        )
        return PixelArea(
            x: min(scale(x, whole.width, shrunk.width), shrunk.width - size.width),
            y: min(scale(y, whole.height, shrunk.height), shrunk.height - size.height),
            width: size.width,
            height: size.height,
        )
    }

    /// Returns the largest area of shape `ratio` in this one, all of it for `nil`: as near as possible to `focus`, a point of
    /// the picture of size `whole`, or else in the middle.
    func area(ofShape ratio: AspectRatio?, around focus: FocalPoint?, in whole: PixelSize) -> PixelArea {
        var part = size.area(ofShape: ratio)
        part.x += x
        part.y += y
        guard let focus else { return part }
        func start(_ centre: Double, _ length: Int, _ range: Range<Int>) -> Int {
            min(
                range.upperBound - length,
                max(range.lowerBound, Int(clamping: (centre - Double(length) / 2).rounded()))
            )
        }
        part.x = start(focus.x * Double(whole.width), part.width, x..<x + width)
        part.y = start(focus.y * Double(whole.height), part.height, y..<y + height)
        return part
    }

    /// Returns the position of this area of an upright picture of `size` in the stored picture, whose EXIF orientation
    /// is `orientation`, from 1 to 8.
    func stored(in size: PixelSize, orientation: Int) -> PixelArea {
        let right = size.width - x - width
        let bottom = size.height - y - height
        return switch orientation {
        case 2: PixelArea(x: right, y: y, width: width, height: height)
        case 3: PixelArea(x: right, y: bottom, width: width, height: height)
        case 4: PixelArea(x: x, y: bottom, width: width, height: height)
        case 5: PixelArea(x: y, y: x, width: height, height: width)
        case 6: PixelArea(x: y, y: right, width: height, height: width)
        case 7: PixelArea(x: bottom, y: right, width: height, height: width)
        case 8: PixelArea(x: bottom, y: x, width: height, height: width)
        default: self
        }
    }
}

extension PixelSize {
    var ratio: AspectRatio { AspectRatio(width: width, height: height) }

    /// Returns the largest centred area of shape `ratio`.
    func area(ofShape ratio: AspectRatio?) -> PixelArea {
        guard let ratio, ratio.width > 0, ratio.height > 0 else { return PixelArea(size: self, in: self) }
        let widthForHeight = Int(clamping: (Double(height) * Double(ratio.width) / Double(ratio.height)).rounded())
        let heightForWidth = Int(clamping: (Double(width) * Double(ratio.height) / Double(ratio.width)).rounded())
        let size = PixelSize(width: min(width, widthForHeight), height: min(height, heightForWidth))
        return PixelArea(size: size, in: self)
    }
}
