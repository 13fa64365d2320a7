import Foundation
import Testing

@testable import NotificationAttachments

/// The hashes and pixels are those of thumbhash-python 1.0.1, a port of the reference, for parts of `Samples/media/photo.jpg`
/// and for a red disc. The port rounds where the reference cuts off, so that a value may differ by one.
@Suite("A ThumbHash")
struct ThumbHashTests {
    private static let known: [(hash: String, width: Int, height: Int, pixels: [[Int]])] = [
        (
            "EOcFFYItd2ZwiZd1h4iIdnZwbgbn", 32, 23,
            [
                [0, 0, 17, 35, 64, 255], [31, 0, 1, 14, 35, 255], [16, 11, 55, 73, 108, 255],
                [31, 22, 56, 50, 42, 255],
            ]
        ),
        (
            "EucFFwJbmWdwaYd2h4d4Z3eIZwXnVnAO", 32, 32,
            [
                [0, 0, 26, 45, 79, 255], [16, 16, 67, 84, 113, 255], [16, 31, 108, 98, 87, 255],
                [31, 31, 63, 58, 55, 255],
            ]
        ),
        (
            "EucFFAJUCJlIh4lXl2iokH8a+Q==", 18, 32,
            [
                [0, 0, 34, 40, 53, 255], [9, 16, 56, 81, 123, 255], [0, 31, 54, 47, 34, 255],
                [17, 31, 89, 76, 61, 255],
            ]
        ),
        (
            "GmqDBAA3+Id42Gd3io/X+Hh8gHWIF5iIBQ==", 26, 32,
            [
                [0, 0, 219, 37, 59, 0], [13, 0, 219, 37, 59, 38], [13, 16, 219, 37, 59, 255],
                [25, 16, 219, 37, 59, 26],
            ]
        ),
    ]

    private func decoded(_ text: String) throws -> ThumbHash {
        let bytes = try #require(Data(base64Encoded: text))
        return try #require(ThumbHash(bytes))
    }

    @Test("becomes the picture that the reference makes of it", arguments: 0..<4)
    func pixels(index: Int) throws {
        let (text, width, height, pixels) = Self.known[index]
        let hash = try decoded(text)
        #expect(hash.width == width && hash.height == height)
        #expect(hash.pixels.count == width * height * 4)
        for pixel in pixels {
            let start = (pixel[1] * width + pixel[0]) * 4
            for channel in 0..<4 {
                #expect(abs(Int(hash.pixels[start + channel]) - pixel[2 + channel]) <= 1, "\(pixel)")
            }
        }
    }

    @Test(
        "has its picture's shape, also of a panorama and a high strip",
        arguments: [("0OYFCYAfeEd2iId4kIcIeIg=", [32, 5]), ("E/cFGQR4gGh2l3Z4hJBdCOg=", [5, 32])]
    )
    func shapes(text: String, size: [Int]) throws {
        let hash = try decoded(text)
        #expect([hash.width, hash.height] == size)
    }

    @Test("is refused if it is cut short, wherever that is")
    func short() throws {
        for (text, _, _, _) in Self.known {
            let whole = try #require(Data(base64Encoded: text))
            for count in 0..<whole.count - 1 {
                #expect(ThumbHash(whole.prefix(count)) == nil, "\(count) bytes of \(text)")
            }
        }
    }

    @Test("never fails on bytes at random, and is never larger than 32 pixels")
    func random() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let bytes = Data((0..<40).map { _ in UInt8.random(in: 0...255, using: &numbers) })
            let hash = ThumbHash(bytes)
            #expect(hash.map { (1...32).contains($0.width) && (1...32).contains($0.height) } == true)
        }
    }

    @Test("becomes a PNG with correct sums", arguments: 0..<4)
    func png(index: Int) throws {
        let known = Self.known[index]
        let hash = try decoded(known.hash)
        var rest = [UInt8](hash.png)[...]
        #expect(Array(rest.prefix(8)) == [UInt8]([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        rest = rest.dropFirst(8)
        var chunks: [String: [UInt8]] = [:]
        while !rest.isEmpty {
            let count = Self.number(rest.prefix(4))
            let checked = rest.dropFirst(4).prefix(4 + count)
            #expect(Self.number(rest.dropFirst(8 + count).prefix(4)) == Self.crc(checked))
            chunks[String(decoding: checked.prefix(4), as: UTF8.self)] = Array(checked.dropFirst(4))
            rest = rest.dropFirst(12 + count)
        }
        let header = try #require(chunks["IHDR"]), data = try #require(chunks["IDAT"])
        #expect(Self.number(header[0..<4]) == known.width && Self.number(header[4..<8]) == known.height)
        // Behind the two bytes of zlib and the block's header, each row has a byte for its filter.
        let rows = data.dropFirst(7).dropLast(4)
        #expect(rows.count == known.height * (1 + known.width * 4))
        #expect(Array(rows.dropFirst().prefix(known.width * 4)) == Array(hash.pixels.prefix(known.width * 4)))
        #expect(chunks["IEND"]?.isEmpty == true)
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// The sum as the remainder of a long division in polynomials (ISO 3309), bit by bit.
    private static func crc(_ bytes: some Sequence<UInt8>) -> Int {
        var remainder: UInt64 = 0xFFFF_FFFF
        for byte in bytes {
            for bit in 0..<8 {
                let isOdd = (remainder & 1) != UInt64((byte >> bit) & 1)
                remainder = (remainder >> 1) ^ (isOdd ? 0xEDB8_8320 : 0)
            }
        }
        return Int(remainder ^ 0xFFFF_FFFF)
    }
}
