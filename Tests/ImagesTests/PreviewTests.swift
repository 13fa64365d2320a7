import Foundation
import Images
import Media
import Support
import Testing

@Suite struct PreviewTests {
    @Test(
        "a small JPEG is made of the result on request, even of one that is only rewritten",
        .needsSharedMedia,
        arguments: [
            ("images/exif-orien__Landscape_6.jpg", MediaFormat.jpeg, 192, 128),
            ("images/Pillow__hopper.gif", .gif, 128, 128),
            ("images/Pillow__hopper_gray.jpg", .jpeg, 128, 128),
        ],
    )
    func preview(path: String, format: MediaFormat, width: Int, height: Int) throws {
        let bytes = try SharedMedia.bytes(path)
        let output = try transform(MemorySource(bytes), format, previewEdge: 192).output
        let preview = try #require(output.preview)
        #expect(preview.starts(with: [0xFF, 0xD8]) && preview.count < 20_000)
        let shown = try transform(MemorySource(preview), .jpeg).output
        #expect(shown.source?.width == width && shown.source?.height == height)
    }

    @Test("no thumbnail is made without a request") func none() throws {
        let photo = SharedMedia.packageRoot.appending(path: "Samples/media/photo.jpg")
        let output = try transform(MemorySource([UInt8](Data(contentsOf: photo))), .jpeg).output
        #expect(output.preview == nil && output.last != nil)
    }
}
