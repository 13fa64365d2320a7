import Foundation
import Media
import Testing

@testable import Decoding

/// SECURITY S6: what a decoder process reports is checked before it is used.
@Suite("The check of an inline picture")
struct InlineCheckTests {
    /// A GIF of one pixel, the smallest output.
    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]

    /// The segments of a JPEG of this size, up to the frame header, and its end.
    private static func jpeg(_ width: UInt8, _ height: UInt8, byteCount: Int = 300) -> [UInt8] {
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, height, 0, width, 1, 1, 0x11, 0]
        return head + [UInt8](repeating: 0, count: byteCount - head.count - 2) + [0xFF, 0xD9]
    }

    private static func accepts(_ inline: InlinePicture?, _ rule: InlineRule, prefersWebP: Bool = false) throws -> Bool
    {
        let file = try OutputFile(capacity: gif.count)
        _ = unsafe pwrite(file.descriptor, gif, gif.count, 0)
        var image = Profile.apns.image
        image.inline = rule
        image.prefersWebP = prefersWebP
        let request = ConversionRequest(format: .gif, image: image, animation: Profile.apns.animation)
        let report = RungReport(
            rung: .remuxed,
            format: .gif,
            byteCount: gif.count,
            width: 1,
            height: 1,
            frames: 1,
            inline: inline
        )
        return OutputCheck.accepted(report, file, for: request) != nil
    }

    private static let hash = [UInt8](repeating: 1, count: 20)

    @Test("accepts what the profile asked for, and an output without any")
    func asked() throws {
        #expect(try Self.accepts(nil, .off))
        #expect(try Self.accepts(nil, .auto))
        #expect(try Self.accepts(InlinePicture(thumbHash: Self.hash), .hash))
        #expect(try Self.accepts(InlinePicture(thumbHash: Self.hash, pictures: [Self.jpeg(96, 64)]), .auto))
    }

    @Test(
        "refuses what was not asked for, too large, or not what it says",
        arguments: [
            (InlinePicture(thumbHash: hash), InlineRule.off),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 64)]), .hash),
            (InlinePicture(thumbHash: []), .hash),
            (InlinePicture(thumbHash: hash + hash), .hash),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(97, 64)]), .auto),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 0)]), .auto),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 64, byteCount: 1501)]), .auto),
            (InlinePicture(thumbHash: hash, pictures: [gif]), .auto),
            (InlinePicture(thumbHash: hash, format: .gif, pictures: [gif]), .auto),
            (InlinePicture(thumbHash: hash, format: .webp, pictures: []), .auto),
            (InlinePicture(thumbHash: hash, pictures: [[]]), .auto),
        ],
    )
    func refused(inline: InlinePicture, rule: InlineRule) throws { #expect(try !Self.accepts(inline, rule)) }
}
