import App
import Media
import Testing

@Suite("The sources that fit into the memory of a container")
struct FittingSourcesTests {
    /// Returns the sources that fit into a container: half of its memory is for decoders.
    private func fitting(mebibytes: Int) -> FittingSources {
        FittingSources(decoderMemory: mebibytes * 1_048_576 / 2, initial: 33_554_432)
    }

    @Test(
        "more memory is for larger ones",
        arguments: [(256, 0.1, 3.0), (512, 4.0, 15.0), (1024, 12.0, 35.0), (4096, 50.0, 50.0)]
    )
    func sizes(mebibytes: Int, clip: Double, heic: Double) {
        let fitting = fitting(mebibytes: mebibytes)
        #expect(Double(fitting.clipPixels) >= clip * 1_000_000)
        #expect(Double(fitting.picturePixels(.heic)) >= heic * 1_000_000)
        #expect(fitting.picturePixels(.png) == 50_000_000)
        #expect(fitting.picturePixels(.jpeg) == 200_000_000)
    }

    @Test("the smallest container of the documentation has room for the project's own video, and half of it has not")
    func sample() {
        #expect(fitting(mebibytes: 512).clipPixels >= 864 * 576)
        #expect(fitting(mebibytes: 256).clipPixels < 864 * 576)
    }

    @Test("the words name a usual size, or say that nothing fits")
    func words() {
        #expect(fitting(mebibytes: 512).clips == "video up to 4.3 megapixels a frame, such as 2560 × 1440")
        #expect(fitting(mebibytes: 128).clips == "no video fits: decoders together need more memory")
        #expect(fitting(mebibytes: 64).pictures.contains("HEIC and AVIF of no size"))
        #expect(
            fitting(mebibytes: 4096).pictures.hasPrefix("JPEG up to 200, progressive JPEG up to 25, PNG up to 50, ")
        )
    }
}
