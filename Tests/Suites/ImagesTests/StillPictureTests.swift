import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Still pictures")
    struct StillPictureTests {
        @Test(
            "the longer side is exact, the other in proportion",
            arguments: [(1039, 700), (1555, 1037), (2076, 10), (3, 1500), (1200, 1200), (4001, 997)],
        )
        func longEdge(width: Int, height: Int) throws {
            let source = PNGBuilder.picture(width, height) { x, y in [UInt8(x & 255), UInt8(y & 255), 99] }
            let last = try #require(try transform(MemorySource(source), .png).output.last)
            #expect(max(last.report.width ?? 0, last.report.height ?? 0) == 1038)
            let other = Double(min(width, height)) * 1038 / Double(max(width, height))
            #expect(abs(Double(min(last.report.width ?? 0, last.report.height ?? 0)) - max(1, other)) <= 0.5)
            let pixels = try Pixels(last)
            #expect(pixels.width == last.report.width)
            #expect(pixels.height == last.report.height)
        }

        @Test("a photo gets a long edge of exactly 1038", .needsSharedMedia)
        func photo() throws {
            let source = try SharedMedia.bytes("images/mate__YellowFlower.jpg")
            let (output, failure) = try transform(MemorySource(source), .jpeg)
            #expect(failure == nil)
            #expect(output.source == SourceReport(width: 2560, height: 1600, frames: 1))
            #expect(output.descriptions == 1)
            #expect(output.last?.report.width == 1038)
            #expect(output.last?.report.height == 649)
            #expect(output.rungs == [.downscaled])
        }

        @Test("a small picture is not enlarged")
        func small() throws {
            let source = PNGBuilder.picture(40, 30) { x, y in [UInt8(x), UInt8(y), 0] }
            let (output, _) = try transform(MemorySource(source), .png, rungs: [.downscaled])
            #expect(output.last?.report.width == 40)
            #expect(output.last?.report.height == 30)
        }

        @Test("a picture of another shape is cropped")
        func aspectRatio() throws {
            // Red above and below, green in the middle half.
            let source = PNGBuilder.picture(400, 400) { _, y in (100..<300).contains(y) ? [0, 200, 0] : [200, 0, 0] }
            let middle = FocalPoint(x: 0.5, y: 0.5)
            let (output, _) = try transform(MemorySource(source), .png, profile: .webpush, focus: middle)
            let pixels = try Pixels(try #require(output.last))
            #expect(pixels.width == 400)
            #expect(pixels.height == 200)
            #expect(isNear(pixels.at(200, 3), [0, 200, 0]))
            #expect(isNear(pixels.at(200, 196), [0, 200, 0]))
        }

        @Test("all eight orientations become upright", arguments: 1...8)
        func orientation(_ orientation: Int) throws {
            // Upright: red, green above; blue, white below. Stored according to EXIF's table.
            let upright: [[[UInt8]]] = [[[220, 0, 0], [0, 220, 0]], [[0, 0, 220], [220, 220, 220]]]
            let isTransposed = orientation > 4
            let (width, height) = isTransposed ? (80, 120) : (120, 80)
            let stored = PNGBuilder.picture(width, height) { x, y in
                let (right, low) = (x >= width / 2, y >= height / 2)
                let (u, v) =
                    switch orientation {
                    case 1: (right, low)
                    case 2: (!right, low)
                    case 3: (!right, !low)
                    case 4: (right, !low)
                    case 5: (low, right)
                    case 6: (!low, right)
                    case 7: (!low, !right)
                    default: (low, !right)
                    }
                return upright[v ? 1 : 0][u ? 1 : 0]
            }
            let jpeg = try #require(try transform(MemorySource(stored), .png, rungs: [.downscaled]).output.last)
            let source = JPEGBuilder.oriented(jpeg.bytes, orientation)
            let (output, _) = try transform(MemorySource(source), .jpeg)
            #expect(output.source?.width == 120)
            #expect(output.source?.height == 80)
            let last = try #require(output.last)
            #expect(last.report.rung == (orientation == 1 ? .remuxed : .downscaled))
            let pixels = try Pixels(last)
            #expect(pixels.width == 120)
            #expect(isNear(pixels.at(10, 10), [220, 0, 0]))
            #expect(isNear(pixels.at(110, 10), [0, 220, 0]))
            #expect(isNear(pixels.at(10, 70), [0, 0, 220]))
            #expect(isNear(pixels.at(110, 70), [220, 220, 220]))
        }

        @Test(
            "an orientation in XMP counts where EXIF gives none",
            arguments: [
                ("tiff:Orientation=\"6\"", true), ("tiff:Orientation = '6'", true),
                ("><tiff:Orientation>6</tiff:Orientation", true), ("tiff:Orientation=\"66\"", false),
                ("tiff:Orientation=\"0\"", false), ("tiff:Orientation=\"", false), ("exif:Orientation=\"6\"", false),
            ]
        )
        func orientationInXMP(attribute: String, isTurned: Bool) throws {
            let xml = Array("<x:xmpmeta><rdf:Description \(attribute)></rdf:Description></x:xmpmeta>".utf8)
            let picture = PNGBuilder.picture(48, 32) { x, _ in x < 24 ? [255, 0, 0] : [0, 0, 255] }
            let jpeg = try #require(transform(MemorySource(picture), .png, rungs: [.downscaled]).output.last).bytes
            let marked = JPEGBuilder.with(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xml, in: jpeg)
            let text = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xml
            let png = PNGBuilder.picture(48, 32, extraChunks: [("iTXt", text)]) { x, _ in
                x < 24 ? [255, 0, 0] : [0, 0, 255]
            }
            for (source, format) in [(marked, MediaFormat.jpeg), (png, .png)] {
                let last = try #require(try transform(MemorySource(source), format).output.last)
                #expect(last.report.width == (isTurned ? 32 : 48))
                #expect(last.report.rung == (isTurned ? .downscaled : .remuxed))
                let top = try Pixels(last).at(16, 4)
                #expect(isNear(top, [255, 0, 0], within: 20))
            }
            let both = JPEGBuilder.oriented(marked, 3)
            #expect(try transform(MemorySource(both), .jpeg).output.last?.report.width == 48)
        }

        @Test("photos of every orientation look the same", .needsSharedMedia, arguments: [3, 5, 6, 8])
        func orientedPhoto(orientation: Int) throws {
            func pixels(_ number: Int) throws -> Pixels {
                let source = try SharedMedia.bytes("images/exif-orien__Landscape_\(number).jpg")
                return try Pixels(try #require(try transform(MemorySource(source), .jpeg).output.last))
            }
            let likeness = try pixels(orientation).likeness(to: pixels(1))
            // The files themselves were turned and saved again, one by one: they are 29 to 30 dB from each other.
            #expect(likeness > 28)
        }

        @Test("AVIF's own rotation is applied once", .needsSharedMedia)
        func rotatedAVIF() throws {
            let source = try SharedMedia.bytes("images/generated__irot1-shared.avif")
            let (output, _) = try transform(MemorySource(source), .avif)
            #expect(output.last?.report.width == 200)
            #expect(output.last?.report.height == 320)
        }

        @Test("HEIC whose EXIF repeats its own rotation is turned once", .needsSharedMedia)
        func rotatedHEIC() throws {
            let source = try SharedMedia.bytes("privacy/SHA-exif-gps.heic")
            let (output, _) = try transform(MemorySource(source), .heic)
            #expect(output.last?.report.width == output.source?.width)
            #expect(output.last?.report.height == output.source?.height)
        }

        @Test("shrinking in the JPEG decoder first makes no visible difference", .needsSharedMedia)
        func shrinkOnLoad() throws {
            let source = try SharedMedia.bytes("images/mate__YellowFlower.jpg")
            var small = Profile.apns
            small.image.longEdge = 700
            let shrunk = try #require(try transform(MemorySource(source), .jpeg, profile: small).output.last)
            // The same picture as a PNG, which has no such shortcut.
            let full = try Pixels(source, .jpeg)
            let png = PNGBuilder.picture(full.width, full.height) { x, y in full.at(x, y).map(UInt8.init) }
            let whole = try #require(try transform(MemorySource(png), .png, profile: small).output.last)
            let likeness = try Pixels(shrunk).likeness(to: Pixels(whole))
            #expect(likeness > 36)
        }

        @Test("a small byte budget is met by quality, then by size", arguments: [150_000, 60_000, 20_000, 3_000])
        func budget(byteBudget: Int) throws {
            var state: UInt32 = 7
            let noise = PNGBuilder.picture(900, 600) { _, _ in
                (0..<3).map { _ in
                    state = state &* 1_664_525 &+ 1_013_904_223
                    return UInt8(state >> 24)
                }
            }
            var profile = Profile.apns
            profile.image.byteBudget = byteBudget
            let (output, failure) = try transform(MemorySource(noise), .png, profile: profile)
            #expect(failure == nil)
            let last = try #require(output.last)
            #expect(last.bytes.count <= byteBudget)
            #expect(last.bytes.count > byteBudget / 3)
            #expect(last.report.byteCount == last.bytes.count)
        }

        @Test("the byte limit holds even if the budget is larger")
        func byteLimit() throws {
            var profile = Profile.apns
            profile.image.byteLimit = 4_000
            let source = PNGBuilder.picture(600, 600) { x, y in [UInt8(x &* y & 255), UInt8(x & 255), UInt8(y & 255)] }
            let last = try #require(try transform(MemorySource(source), .png, profile: profile).output.last)
            #expect(last.bytes.count <= 4_000)
        }
    }
}
