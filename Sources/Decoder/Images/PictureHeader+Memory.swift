import DecoderWire
import Media

extension PictureHeader {
    /// Returns the memory that decoding takes, in bytes, in addition to that of every decoder process. An estimate.
    ///
    /// The memory of loaders that decode a picture as a whole was measured with pictures of 12 to 49 megapixels and
    /// rounded up. Other loaders keep a few rows.
    func memoryBytes(for request: ConversionRequest) -> Int {
        // The scaler keeps the rows of its filter, three on each side times the scale, in two bytes a value.
        let longEdge = max(1, min(request.image.longEdge, request.animation?.longEdge ?? .max))
        let scale = (storedSize.longEdge + longEdge - 1) / longEdge
        let rows = 16_000_000 + storedSize.width * (512 + 8 * min(storedSize.height, 7 * scale + 67))
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
        switch format {
        // All coefficients of a picture that may be delivered in its own coding are in memory, too.
        case .jpeg: isInterlaced || storedSize.longEdge <= request.image.longEdge ? 6 : 0
        case .png: isInterlaced ? 8 : 0
        case .tiff: 4
        case .webp: frames > 1 ? 10 : 5
        case .gif: 14
        case .heic, .avif: 12
        default: 12
        }
    }
}
