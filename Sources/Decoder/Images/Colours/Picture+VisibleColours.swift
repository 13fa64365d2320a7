import CVips
import CVipsShim
import DecoderWire
import Values

extension Picture {
    /// The alpha from which on colours are kept as they are.
    private static let visibleAlpha = 64

    /// Returns a copy of a picture in memory with 8 bits and alpha, in which the colours of almost transparent pixels have no
    /// more steps than can be seen.
    ///
    /// Nothing shows the other steps: screens multiply colours by alpha. WebP's losses there are noise, which a PNG would
    /// keep at many times the source's size, and what stands below clear pixels is nobody's business.
    func withVisibleColours() throws(DecodeError) -> Picture {
        let copy = try unsafe Picture.make("copy") { made in unsafe cvips_new_standard(image, &made) }
        guard let values = unsafe vips_image_get_data(image), let target = unsafe vips_image_get_data(copy.image),
            has8Bits, let count = SafeSize.product(width, height, bands)
        else { throw VipsError("copy").failure }
        let from = unsafe values.assumingMemoryBound(to: UInt8.self)
        let to = unsafe UnsafeMutableRawPointer(mutating: target).assumingMemoryBound(to: UInt8.self)
        let steps = Self.visibleSteps
        let colours = bands - 1
        for start in stride(from: 0, to: count, by: bands) {
            let alpha = unsafe Int(from[start + colours])
            unsafe to[start + colours] = from[start + colours]
            for band in start..<start + colours {
                let value = unsafe from[band]
                unsafe to[band] = alpha < Self.visibleAlpha ? steps[alpha << 8 | Int(value)] : value
            }
        }
        return copy
    }

    /// The values to show for each alpha and value: those that give the same product, as few as there are products.
    private static var visibleSteps: [UInt8] {
        (0..<visibleAlpha << 8).map { index in
            let (alpha, value) = (index >> 8, index & 0xFF)
            guard alpha > 0 else { return 0 }
            let product = (value * alpha + 127) / 255
            return UInt8(clamping: (product * 255 + alpha / 2) / alpha)
        }
    }
}
