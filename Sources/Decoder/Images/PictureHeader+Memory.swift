import DecoderWire
import Media

extension PictureHeader {
    /// Returns the memory that decoding takes, in bytes, in addition to that of every decoder process. An estimate.
    func memoryBytes(for request: ConversionRequest) -> Int {
        let longEdge = max(1, min(request.image.longEdge, request.animation?.longEdge ?? .max))
        let rows = MemoryEstimate.pictureRows(storedSize, longEdge: longEdge)
        let pixels = frames > 1 ? storedSize.pixels * framesWithin(request.limits) : storedSize.pixels
        return rows + pixels * bytesPerPixel(for: request) + resultBytes(for: request)
    }

    /// Returns the memory for the result before it is cropped, and for its encoder. libwebp has the picture twice, and its
    /// coefficients: 23 bytes a pixel for noise. The other encoders keep a few rows.
    private func resultBytes(for request: ConversionRequest) -> Int {
        let rectangle = request.clippingRectangle
        let shape = StillShape(of: self, rules: request.image, clipping: rectangle, focus: request.focus)
        return shape.target.pixels * ((shape.croppedSize == nil ? 0 : 8) + (request.image.prefersWebP ? 24 : 0))
    }

    private func bytesPerPixel(for request: ConversionRequest) -> Int {
        MemoryEstimate.bytesPerPixel(
            format,
            isWhole: isInterlaced || format == .jpeg && storedSize.longEdge <= request.image.longEdge,
            isAnimated: frames > 1,
        )
    }
}
