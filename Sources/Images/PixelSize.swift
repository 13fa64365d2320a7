import Media

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
    var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size of this shape whose longer side has at most `longEdge` pixels; never larger than this one.
    func fitting(longEdge limit: Int) -> PixelSize {
        guard longEdge > limit else { return self }
        return PixelSize(width: scaled(width, by: limit), height: scaled(height, by: limit))
    }

    /// The largest area of shape `ratio` around the centre.
    func area(ofShape ratio: AspectRatio?) -> PixelArea {
        guard let ratio, ratio.width > 0, ratio.height > 0 else { return PixelArea(size: self, in: self) }
        let widthForHeight = Int((Double(height) * Double(ratio.width) / Double(ratio.height)).rounded())
        let heightForWidth = Int((Double(width) * Double(ratio.height) / Double(ratio.width)).rounded())
        let size = PixelSize(width: min(width, widthForHeight), height: min(height, heightForWidth))
        return PixelArea(size: size, in: self)
    }

    private func scaled(_ side: Int, by limit: Int) -> Int {
        Int((Double(side) * Double(limit) / Double(longEdge)).rounded())
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

    var size: PixelSize { PixelSize(width: width, height: height) }
    var ratio: AspectRatio { AspectRatio(width: width, height: height) }

    /// The same part of a picture that a loader shrank from `whole` to `shrunk`.
    func scaled(from whole: PixelSize, to shrunk: PixelSize) -> PixelArea {
        guard whole != shrunk else { return self }
        func scale(_ value: Int, _ from: Int, _ to: Int) -> Int {
            Int((Double(value) * Double(to) / Double(from)).rounded())
        }
        let size = PixelSize(
            width: min(shrunk.width, scale(width, whole.width, shrunk.width)),
            height: min(shrunk.height, scale(height, whole.height, shrunk.height)),
        )
        return PixelArea(size: size, in: shrunk)
    }
}
