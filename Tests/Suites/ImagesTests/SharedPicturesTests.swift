import DecoderWire
import Foundation
import Images
import Media
import Support
import Testing

/// One line of the shared media's table.
struct SharedPicture: CustomTestStringConvertible, Sendable {
    var path: String
    var expectation: String
    var testDescription: String { path }

    static func all(in folder: String) -> [SharedPicture] {
        guard SharedMedia.isThere, let table = try? String(contentsOf: SharedMedia.url("MANIFEST.tsv"), encoding: .utf8)
        else { return [] }
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields[0].hasPrefix("\(folder)/") else { return nil }
            return SharedPicture(path: String(fields[0]), expectation: String(fields[2]))
        }
    }

    /// Returns the bytes and the format, or `nil` if the sniffer doesn't recognise an image.
    func read() throws -> (bytes: [UInt8], format: MediaFormat)? {
        let bytes = try SharedMedia.bytes(path)
        guard let format = MediaSniffer.format(of: bytes.span), format.kind == .image else { return nil }
        return (bytes, format)
    }
}

extension ImagesTests {
    @Suite("The shared pictures", .needsSharedMedia)
    struct SharedPicturesTests {
        @Test(
            "a good picture becomes a legal one under every profile",
            arguments: SharedPicture.all(in: "images"),
            Profile.builtIn
        )
        func decodes(picture: SharedPicture, profile: Profile) throws {
            guard let (bytes, format) = try picture.read() else {
                #expect(picture.expectation != "decode")
                return
            }
            let (output, failure) = try transform(MemorySource(bytes), format, profile: profile)
            if picture.expectation == "decode" {
                #expect(failure == nil)
                #expect(output.last?.report.rung.isLast == true)
            }
            guard let last = output.last else { return }
            let longEdge = max(last.report.width ?? 0, last.report.height ?? 0)
            #expect(longEdge <= profile.image.longEdge)
            #expect(last.bytes.count <= profile.image.byteLimit)
            #expect(OutputFormat(of: last.bytes.span) == last.report.format)
        }
    }
}
