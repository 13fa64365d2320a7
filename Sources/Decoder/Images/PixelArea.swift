import DecoderWire
import Media
import Values

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
