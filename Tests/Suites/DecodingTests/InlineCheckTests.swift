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

    /// A JPEG of this size whose scan is empty but for zeros.
    private static func jpeg(_ width: UInt8, _ height: UInt8, byteCount: Int = 300) -> [UInt8] {
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, height, 0, width, 1, 1, 0x11, 0]
        let head: [UInt8] = [0xFF, 0xD8] + frame + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        return head + [UInt8](repeating: 0, count: byteCount - head.count - 2) + [0xFF, 0xD9]
    }

    /// Returns the inline picture that is left of the report on an output.
    private static func checked(_ inline: InlinePicture?, _ rule: InlineRule) throws -> InlinePicture? {
        let file = try OutputFile(capacity: gif.count)
        _ = unsafe pwrite(file.descriptor, gif, gif.count, 0)
        var image = Profile.apns.image
        image.inline = rule
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
        let accepted = OutputCheck.accepted(report, file, for: request)
        return try #require(accepted).rung.report.inline
    }

    /// The reference implementation's hash of a picture of 32 times 21 pixels.
    private static let hash: [UInt8] = [
        92, 24, 6, 29, 138, 67, 20, 169, 100, 103, 184, 116, 119, 89, 136, 112, 34, 90, 255, 155, 135,
    ]

    @Test(
        "keeps what the profile asked for",
        arguments: [
            (InlinePicture(thumbHash: hash), InlineRule.hash), (InlinePicture(thumbHash: hash), .auto),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 64)]), .auto),
        ],
    )
    func asked(inline: InlinePicture, rule: InlineRule) throws { #expect(try Self.checked(inline, rule) == inline) }

    @Test(
        "drops what was not asked for, too large, or not what it says, and keeps the output",
        arguments: [
            (InlinePicture(thumbHash: hash), InlineRule.off),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 64)]), .hash),
            (InlinePicture(thumbHash: []), .hash),
            (InlinePicture(thumbHash: hash + [0]), .hash),
            (InlinePicture(thumbHash: hash.dropLast()), .hash),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(97, 64)]), .auto),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 0)]), .auto),
            (InlinePicture(thumbHash: hash, pictures: [jpeg(96, 64, byteCount: 1501)]), .auto),
            (InlinePicture(thumbHash: hash, pictures: [gif]), .auto),
            (InlinePicture(thumbHash: hash, format: .gif, pictures: [gif]), .auto),
            (InlinePicture(thumbHash: hash, format: .webp, pictures: []), .auto),
            (InlinePicture(thumbHash: hash, pictures: [[]]), .auto),
        ],
    )
    func dropped(inline: InlinePicture, rule: InlineRule) throws { #expect(try Self.checked(inline, rule) == nil) }
}
