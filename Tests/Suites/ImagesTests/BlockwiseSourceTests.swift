import DecoderWire
import Media
import Support
import Testing

/// The smaller pictures of every loader, and two TIFFs of one block and of two.
private let pictures =
    (SharedPicture.all(in: "images") + SharedPicture.all(in: "found").filter { $0.path.contains("pil-raw") })
    .filter { picture in
        guard picture.expectation == "decode", let bytes = try? SharedMedia.bytes(picture.path) else { return false }
        return bytes.count < 100_000
    }

extension ImagesTests {
    @Suite("Sources whose reads come back short", .needsSharedMedia)
    struct BlockwiseSourceTests {
        @Test(
            "a picture comes out the same, wherever its reads stop",
            arguments: pictures,
            [1, 65_536]
        )
        func sameOutput(picture: SharedPicture, blockByteCount: Int) throws {
            let (bytes, format) = try #require(try picture.read())
            let whole = try transform(MemorySource(bytes), format)
            let blocks = try transform(MemorySource(bytes, blockByteCount: blockByteCount), format)
            #expect(whole.failure == nil && blocks.failure == nil)
            #expect(blocks.output.last?.report == whole.output.last?.report)
            #expect(blocks.output.last?.bytes == whole.output.last?.bytes)
        }
    }
}
