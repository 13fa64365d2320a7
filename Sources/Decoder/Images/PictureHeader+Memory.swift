import Media

extension PictureHeader {
    /// About how much memory decoding takes, beside what every process has, in bytes.
    ///
    /// What a loader keeps of a picture that it decodes whole was measured with pictures of 12 to 49 megapixels, and
    /// rounded up; the others keep some rows.
    func memoryBytes(within limits: MediaLimits) -> Int {
        let rows = 16_000_000 + storedSize.width * 512
        let pixels = frames > 1 ? storedSize.pixels * framesWithin(limits) : storedSize.pixels
        return rows + pixels * bytesPerPixel
    }

    private var bytesPerPixel: Int {
        switch format {
        case .jpeg: isInterlaced ? 6 : 0
        case .png: isInterlaced ? 8 : 0
        case .tiff: 4
        case .webp: frames > 1 ? 10 : 5
        case .gif: 14
        case .heic, .avif: 12
        default: 12
        }
    }
}
