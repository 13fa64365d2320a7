import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    /// The pictures that phones, cameras and careless writers make.
    @Suite("Pictures as phones make them")
    struct PhonePicturesTests {
        // MARK: The marker at the end

        @Test(
            "a JPEG that lacks only the marker at its end is whole",
            .needsSharedMedia,
            arguments: [
                "images/mate__YellowFlower.jpg", "images/plasma__Autumn_2560x1600.jpg", "images/skimage__rocket.jpg",
                "found4/o-jpeg-without-eoi.jpg", "found4/o-jpeg-grey-half-eoi.jpg",
            ],
            [0, 1, 2]
        )
        func withoutEnd(path: String, dropped: Int) throws {
            let bytes = try SharedMedia.bytes(path)
            let isWhole = bytes.suffix(2) == [0xFF, 0xD9]
            let cut = Array(bytes.dropLast(isWhole ? dropped : 0))
            for profile in [Profile.apns, .webpush] {
                let (output, failure) = try transform(MemorySource(cut), .jpeg, profile: profile)
                #expect(failure == nil)
                let last = try #require(output.last)
                #expect(last.report.rung.isLast)
                let file = isWhole ? bytes : cut.filter { _ in true } + [0xFF, 0xD9]
                let whole = try #require(try transform(MemorySource(file), .jpeg, profile: profile).output.last)
                #expect(try Pixels(last).values == Pixels(whole).values)
            }
        }

        @Test("a JPEG that lacks rows, or a scan, is a part", .needsSharedMedia, arguments: [400, 40_000])
        func withoutRows(dropped: Int) throws {
            for path in ["images/mate__YellowFlower.jpg", "images/plasma__Autumn_2560x1600.jpg"] {
                let (output, _) = try transform(MemorySource(SharedMedia.bytes(path).dropLast(dropped)), .jpeg)
                #expect(output.rungs.last == .partial)
            }
        }

        @Test("neither the last chunk of a PNG nor the trailer of a GIF is missed")
        func withoutLastPart() throws {
            let png = PNGBuilder.picture(40, 30) { x, y in [UInt8(x), UInt8(y), 9] }
            let gif = GIFBuilder.animation(40, 30, frames: 3, delay: 10) { frame, x, y in frame * 40 + x }
            for (bytes, format) in [(png.dropLast(12), MediaFormat.png), (gif.dropLast(1), .gif)] {
                let (output, _) = try transform(MemorySource(Array(bytes)), format)
                #expect(output.rungs == [.remuxed])
                let whole = try transform(MemorySource(format == .png ? png : gif), format).output
                #expect(try #require(output.last).bytes == whole.last?.bytes)
            }
        }

        // MARK: Animations

        @Test("a long GIF keeps its end: all of it, or fewer frames for the same time", .needsSharedMedia)
        func longAnimation() throws {
            let bytes = try SharedMedia.bytes("found3/g-gifplayer-muybridge.gif")
            let (output, _) = try transform(MemorySource(bytes), .gif)
            #expect(output.rungs == [.firstFrame, .remuxed] && output.last?.report.frames == 380)
            var profile = Profile.apns
            for byteBudget in [300_000, 100_000, 40_000] {
                profile.animation?.byteBudget = byteBudget
                let report = try #require(
                    try transform(MemorySource(bytes), .gif, profile: profile).output.last?.report
                )
                #expect(report.rung == .shortened || report.rung == .animation)
                #expect(abs((report.durationMilliseconds ?? 0) - 58_550) < 58_550 / 20, "\(report)")
            }
        }

        @Test("short times are shown as long as those of the source", .needsSharedMedia)
        func shortTimes() throws {
            var profile = Profile.apns
            profile.animation?.byteBudget = 40_000
            let gif = try SharedMedia.bytes("found4/r-gif-1cs-60frames.gif")
            let slow = try #require(try transform(MemorySource(gif), .gif, profile: profile).output.last?.report)
            #expect(abs((slow.durationMilliseconds ?? 0) - 6000) <= 300, "\(slow)")
            let webp = try SharedMedia.bytes("found4/r-webp-13ms.webp")
            let fast = try #require(try transform(MemorySource(webp), .webp).output.last?.report)
            #expect(fast.rung == .animation && abs((fast.durationMilliseconds ?? 0) - 312) <= 16, "\(fast)")
        }

        // MARK: Camera raw

        /// A TIFF of raw data with a JPEG behind it, whose place the fields give.
        private func raw(_ jpeg: [UInt8], mark: [Int: Int] = [50706: 0x0401_0000], in strips: Bool = false) -> [UInt8] {
            func file(_ place: Int) -> [UInt8] {
                let fields =
                    strips ? [259: 7, 273: place, 279: jpeg.count] : [513: place, 514: jpeg.count]
                // The first pixels are Canon's mark.
                return TIFFBuilder(type: 4, more: fields.merging(mark) { $1 }.merging([274: 6]) { $1 })
                    .bytes(mark.isEmpty ? Array("CR\u{2}".utf8) : [1, 2, 3])
            }
            return file(file(0).count) + jpeg
        }

        private func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
            let png = PNGBuilder.picture(width, height) { x, _ in [UInt8(x * 2), 90, 30] }
            return try #require(try transform(MemorySource(png), .png, rungs: [.downscaled]).output.last).bytes
        }

        @Test("of a camera's raw file, the JPEG in it is delivered, turned as the file says")
        func rawPictures() throws {
            let picture = try jpeg(60, 40)
            for file in [
                raw(picture), raw(picture, mark: [:]), raw(picture, in: true), raw(picture, mark: [262: 32803]),
            ] {
                let (output, failure) = try transform(MemorySource(file), .tiff)
                #expect(failure == nil)
                let last = try #require(output.last)
                #expect((last.report.width, last.report.height) == (40, 60))
                #expect(last.report.rung.isLast)
            }
        }

        @Test("raw data alone, or with a JPEG that nobody shows, is refused in words", .needsSharedMedia)
        func rawAlone() throws {
            var lossless = try jpeg(60, 40)
            let frame = try #require(
                lossless.firstRange(of: [0xFF, 0xC0] as [UInt8]) ?? lossless.firstRange(of: [0xFF, 0xC2])
            )
            lossless[frame.lowerBound + 1] = 0xC3
            for file in [raw([]), raw([0xFF, 0xD8]), raw(lossless)] {
                let (output, failure) = try transform(MemorySource(file), .tiff)
                #expect(output.emitted.isEmpty && failure?.cause == .cameraRaw)
            }
            let nikon = try SharedMedia.bytes("found3/e-testNEF.nef")
            let (output, failure) = try transform(MemorySource(nikon), .tiff)
            #expect(output.last.map { ($0.report.width ?? 0) > 16 } ?? (failure?.cause == .cameraRaw))
        }

        @Test("raw data reaches no JPEG decoder where that is switched off")
        func rawSwitchedOff() throws {
            let disabled = DisabledFormats(formats: [.jpeg], codecs: [])
            let (output, failure) = try transform(MemorySource(raw(jpeg(60, 40))), .tiff, without: disabled)
            #expect(output.emitted.isEmpty && failure?.reason == .disabled)
        }

        // MARK: Samples beside the colors

        @Test("a sample of a TIFF that is not called alpha is not alpha", arguments: [0, nil, 2])
        func extraSample(kind: Int?) throws {
            let cases: [(interpretation: Int, pixel: [UInt8], color: [Int])] = [
                (2, [200, 60, 40, 0], [200, 60, 40]), (1, [128, 0], [128, 128, 128]),
                (2, [200, 60, 40, 0, 7], [200, 60, 40]),
            ]
            for (interpretation, pixel, color) in cases {
                let more = kind.map { [338: $0] } ?? [:]
                let builder = TIFFBuilder(bands: pixel.count, interpretation: interpretation, more: more)
                let (output, failure) = try transform(MemorySource(builder.bytes(pixel)), .tiff)
                #expect(failure == nil, "\(pixel)")
                let last = try #require(output.last)
                let pixels = try Pixels(last)
                if kind == 2, pixel.count != 5 {
                    #expect(last.report.format == .png && pixels.at(8, 8).last == 0)
                } else if kind != 2 {
                    #expect(last.report.format == .jpeg)
                    #expect(isNear([pixels.at(8, 8)[0]], [color[0]]))
                }
            }
        }

        // MARK: EXIF data behind the pixels

        private func exif(_ orientation: UInt8) -> [UInt8] {
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
        }

        @Test(
            "EXIF data behind a PNG's pixels turn it, whether it is whole or still comes",
            arguments: [3, 6, 8],
            [0, 40]
        )
        func lateExif(orientation: UInt8, readsUntilWhole: Int) throws {
            let parts = PNGBuilder.Parts(60, 40) { x, y in [x < 30 && y < 20 ? 250 : 10, 10, 10] }
            let file = parts.file(behind: [("eXIf", exif(orientation))])
            let source = MemorySource(file, readsUntilWhole: readsUntilWhole, blockByteCount: 512)
            let last = try #require(try transform(source, .png).output.last)
            let size = orientation == 3 ? (60, 40) : (40, 60)
            #expect((last.report.width, last.report.height) == size)
            let pixels = try Pixels(last)
            // Where the bright corner has gone.
            let corner = [3: (59, 39), 6: (39, 0), 8: (0, 59)][Int(orientation)] ?? (0, 0)
            #expect(pixels.at(corner.0, corner.1)[0] > 200)
        }

        @Test("EXIF data in front of the pixels count before those behind, and those that turn nothing change nothing")
        func exifTwice() throws {
            let parts = PNGBuilder.Parts(60, 40) { x, _ in [UInt8(x), 10, 10] }
            let twice = parts.file(extra: [("eXIf", exif(3))], behind: [("eXIf", exif(6))])
            #expect(try transform(MemorySource(twice), .png).output.last?.report.width == 60)
            for other in [exif(1), exif(9), exif(0), [1, 2, 3], []] {
                let file = parts.file(behind: [("eXIf", other)])
                for reads in [0, 40] {
                    let source = MemorySource(file, readsUntilWhole: reads, blockByteCount: 512)
                    let (output, _) = try transform(source, .png)
                    #expect(output.last?.report.rung.isLast == true && output.last?.report.width == 60)
                }
                #expect(try transform(MemorySource(file), .png).output.rungs == [.remuxed])
                #expect(try transform(MemorySource(file), .png, rungs: [.downscaled]).output.rungs == [.downscaled])
            }
        }

        @Test("a shared PNG with EXIF data behind its pixels is turned", .needsSharedMedia)
        func sharedLateExif() throws {
            let bytes = try SharedMedia.bytes("found4/u-png-exif-behind-idat-orient6.png")
            let report = try transform(MemorySource(bytes), .png).output.last?.report
            #expect(report?.width == 240 && report?.height == 320)
        }

        // MARK: Small pictures

        /// The numbers of samples of the first component, in a byte.
        private func sampling(of jpeg: [UInt8]) throws -> UInt8 {
            let frame = try #require(
                jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && [0xC0, 0xC2].contains(jpeg[$0 + 1]) }
            )
            return jpeg[frame + 11]
        }

        @Test("small pictures with colored lines keep all samples of color", .needsSharedMedia)
        func smallColors() throws {
            for name in ["found3/i-16.tif", "found4/i-16px-lines.tif"] {
                let last = try #require(try transform(MemorySource(SharedMedia.bytes(name)), .tiff).output.last)
                #expect(try last.report.format == .png || sampling(of: last.bytes) == 0x11, "\(name)")
            }
            for (width, height) in [(16, 16), (40, 12), (64, 1), (33, 47)] {
                let lines = PNGBuilder.picture(width, height) { x, y in
                    (x + y) % 3 == 0 ? [230, 0, 0] : [255, 255, 255]
                }
                let last = try #require(try transform(MemorySource(lines), .png, rungs: [.downscaled]).output.last)
                #expect(try sampling(of: last.bytes) == 0x11, "\(width) x \(height)")
            }
        }

        // MARK: Large pictures

        @Test(
            "photos of 50 and 108 megapixels and a picture of 21,000 rows are delivered",
            .needsSharedMedia,
            arguments: [
                "c-android-50MP-mode-8192x6144", "c-long-chat-screenshot-1080x21000", "c-samsung-108MP-with-exif-thumb",
            ]
        )
        func large(name: String) throws {
            let (output, failure) = try transform(MemorySource(SharedMedia.bytes("found3/\(name).jpg")), .jpeg)
            #expect(failure == nil && output.last?.report.rung == .downscaled)
        }

        @Test("a HEIC of 200 megapixels in tiles is delivered", .needsSharedMedia)
        func tiles() throws {
            let (output, failure) = try transform(MemorySource(SharedMedia.bytes("found3/c-200MP.heic")), .heic)
            #expect(failure == nil && output.last?.report.rung == .downscaled)
            #expect(output.source?.width == 12_240 && output.source?.height == 16_320)
        }

        @Test("what a loader reads in parts may have more pixels than what it decodes as a whole")
        func inParts() throws {
            let limits = MediaLimits(framePixels: 100, reducedPixels: 5_000)
            let png = PNGBuilder.picture(60, 40) { x, y in [UInt8(x), UInt8(y), 30] }
            var webP = Profile.webpush
            webP.image.formats = [.webp, .jpeg]
            let pictures: [(MediaFormat, [UInt8], Bool)] = [
                (.png, png, false), (.jpeg, try jpeg(60, 40), true), (.tiff, TIFFBuilder().bytes([1, 2, 3]), true),
                (
                    .webp,
                    try #require(
                        try transform(MemorySource(png), .png, profile: webP, rungs: [.downscaled]).output.last
                    ).bytes, true
                ),
                (.avif, try #require(SampleMedia.pictures.first { $0.format == .avif }).bytes, false),
                (.gif, GIFBuilder.animation(60, 40, frames: 2, delay: 9) { $0 * 9 + $1 + $2 }, false),
            ]
            for (format, bytes, isAllowed) in pictures {
                let failure = try transform(MemorySource(bytes), format, limits: limits).failure
                #expect(failure?.reason == (isAllowed ? nil : .tooManyPixels), "\(format)")
            }
            let thin = PNGBuilder.picture(2, 21_000) { _, y in [UInt8(y / 100), 9, 9] }
            #expect(try transform(MemorySource(thin), .png).failure == nil)
        }

        @Test("beyond the limit, a camera's thumbnail is better than nothing, and a header alone is refused")
        func beyond() throws {
            let (small, large) = (try jpeg(32, 24), try jpeg(60, 40))
            for thumbnail in [nil, small] {
                var file = thumbnail.map { JPEGBuilder.with(thumbnail: $0, in: large) } ?? large
                // The last frame header is that of the picture itself.
                let frame = try #require(
                    file.indices.dropLast().last { file[$0] == 0xFF && [0xC0, 0xC2].contains(file[$0 + 1]) }
                )
                file[frame + 1] = 0xC0
                file.replaceSubrange(frame + 5..<frame + 9, with: [0xC3, 0x50, 0xC3, 0x50])
                let (output, failure) = try transform(MemorySource(file), .jpeg)
                #expect(failure?.reason == .tooManyPixels)
                #expect(output.rungs == (thumbnail == nil ? [] : [.embeddedThumbnail]))
            }
            #expect(
                try transform(MemorySource(PNGBuilder.header(50_000, 50_000)), .png).failure?.reason == .tooManyPixels
            )
        }

        // MARK: What is refused

        @Test("colors in a coding that nobody here decodes are refused, not guessed", .needsSharedMedia)
        func unknownColors() throws {
            let bytes = try SharedMedia.bytes("found3/j-ycgco-re.avif")
            let (output, failure) = try transform(MemorySource(bytes), .avif)
            #expect(output.emitted.isEmpty && failure?.cause == .colors)
        }

        @Test("what no decoder here reads is refused in words, not called damaged", .needsSharedMedia)
        func words() throws {
            let xcode = try transform(MemorySource(SharedMedia.bytes("found4/l-cgbi-bgwn6a08.png")), .png)
            #expect(xcode.output.emitted.isEmpty && xcode.failure?.cause == .xcode)
            let cropped = try transform(MemorySource(SharedMedia.bytes("found3/l-kimono.crop.avif")), .avif)
            #expect(cropped.failure?.reason == .unsupportedFormat)
        }
    }
}
