import Foundation
import Images
import Media
import Support
import Testing

@Suite struct ThumbnailTests {
    @Test(
        "a small JPEG is made of the result on request, even of one that is only rewritten",
        .needsSharedMedia,
        arguments: [
            ("images/exif-orien__Landscape_6.jpg", MediaFormat.jpeg, 192, 128),
            ("images/Pillow__hopper.gif", .gif, 128, 128),
            ("images/Pillow__hopper_gray.jpg", .jpeg, 128, 128),
        ],
    )
    func thumbnail(path: String, format: MediaFormat, width: Int, height: Int) throws {
        let bytes = try SharedMedia.bytes(path)
        let output = try transform(MemorySource(bytes), format, thumbnailEdge: 192).output
        let thumbnail = try #require(output.thumbnail)
        #expect(thumbnail.starts(with: [0xFF, 0xD8]) && thumbnail.count < 20_000)
        let shown = try transform(MemorySource(thumbnail), .jpeg).output
        #expect(shown.source?.width == width && shown.source?.height == height)
    }

    @Test("what is transparent is gray in it, so that black and white marks are visible on light and on dark pages")
    func transparent() throws {
        let source = PNGBuilder.picture(90, 60, .rgba) { x, _ in
            x < 30 ? [0, 0, 0, 255] : x < 60 ? [255, 255, 255, 255] : [255, 255, 255, 0]
        }
        let output = try transform(MemorySource(source), .png, thumbnailEdge: 192).output
        let pixels = try Pixels(try #require(output.thumbnail), .jpeg)
        let grays = [10, 45, 80].map { pixels.at($0, 30)[0] }
        #expect(grays[0] < 20 && grays[1] > 235 && (120...170).contains(grays[2]))
    }

    @Test("no thumbnail is made without a request") func none() throws {
        let output = try transform(MemorySource(SampleMedia.photo), .jpeg).output
        #expect(output.thumbnail == nil && output.last != nil)
    }
}
