import Media
import Values

/// Width and height in pixels, both at least 1.
struct PixelSize: Equatable {
    var width: Int
    var height: Int

    init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
    }

    var longEdge: Int { max(width, height) }
    var pixels: Int { SafeSize.product(width, height) ?? .max }
    var ratio: AspectRatio { AspectRatio(width: width, height: height) }
    var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size of this shape whose longer side has at most `longEdge` pixels; never larger than this one.
    func fitting(longEdge limit: Int) -> PixelSize {
        guard longEdge > limit else { return self }
        return PixelSize(width: scaled(width, by: limit), height: scaled(height, by: limit))
    }

    /// The largest area of shape `ratio` around the centre.
    func area(ofShape ratio: AspectRatio?) -> PixelArea {
        guard let ratio, ratio.width > 0, ratio.height > 0 else { return PixelArea(size: self, in: self) }
        let widthForHeight = Int(clamping: (Double(height) * Double(ratio.width) / Double(ratio.height)).rounded())
        let heightForWidth = Int(clamping: (Double(width) * Double(ratio.height) / Double(ratio.width)).rounded())
        let size = PixelSize(width: min(width, widthForHeight), height: min(height, heightForWidth))
        return PixelArea(size: size, in: self)
    }

    private func scaled(_ side: Int, by limit: Int) -> Int {
        Int(clamping: (Double(side) * Double(limit) / Double(longEdge)).rounded())
    }
}

/// A part of a picture.
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

    /// In the middle of `whole`.
    init(size: PixelSize, in whole: PixelSize) {
        x = (whole.width - size.width) / 2
        y = (whole.height - size.height) / 2
        width = size.width
        height = size.height
    }

    /// The part of a picture of `size` that `rectangle` names, to whole pixels.
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

    /// The same part of a picture that a loader shrank from `whole` to `shrunk`.
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

    /// The largest part of shape `ratio` around this one's centre.
    func area(ofShape ratio: AspectRatio?) -> PixelArea {
        var part = size.area(ofShape: ratio)
        part.x += x
        part.y += y
        return part
    }

    /// Where this part of a picture, which is `size` upright, lies in the stored one, whose EXIF data says by
    /// `orientation`, 1 to 8, how to get it upright.
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
