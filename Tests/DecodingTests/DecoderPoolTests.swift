import Decoding
import Media
import Support
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DecoderPoolTests {
    @Test("a picture is converted in a process of its own", .needsSharedMedia)
    func picture() async throws {
        let pool = try DecoderPool(
            DecoderPoolConfiguration(decoderPath: BuiltProgram.path("attachd-decoder"), observe: { print($0) })
        )
        pool.start()
        let bytes = try SharedMedia.bytes("images/Pillow__hopper_gray.jpg")
        let conversion = try await pool.convert(bytes)
        print(conversion, pool.status)
        #expect(conversion.failure == nil)
        await pool.shutDown()
        print(pool.status)
    }
}
