import Foundation
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Private data in a source")
    struct PrivacyTests {
        private static let forbidden = [
            "CANARY-PII", "Exif\0", "http://ns.adobe.com", "Photoshop 3.0", "ICC_PROFILE", "iCCP", "eXIf", "tEXt",
            "iTXt", "MPF\0", "XMP Data", "XMP ", "ICCP",
        ]

        /// One for each format that pictures can have.
        private static let profiles =
            [Profile.apns]
            + OutputFormat.optional.map { format in
                var profile = Profile.webpush
                profile.image.formats = [format, .fallback]
                return profile
            }

        @Test(
            "the delivered file contains only the picture",
            .needsSharedMedia,
            arguments: SharedPicture.all(in: "privacy") + SharedPicture.all(in: "images"),
            profiles,
        )
        func metadata(picture: SharedPicture, profile: Profile) throws {
            guard let (bytes, format) = try picture.read() else { return }
            let (output, _) = try transform(MemorySource(bytes, readsUntilWhole: 5), format, profile: profile)
            if picture.expectation == "decode" { #expect(!output.emitted.isEmpty) }
            for emitted in output.emitted {
                for text in Self.forbidden {
                    #expect(!emitted.bytes.contains(text.utf8), "\(text) in \(emitted.report.rung)")
                    let wide = text.utf8.flatMap { [$0, 0] as [UInt8] }
                    #expect(!emitted.bytes.contains(wide))
                }
            }
        }

        @Test(
            "exiftool finds only the picture, too",
            .needsSharedMedia,
            .enabled(if: Exiftool.isThere, "no exiftool here"),
            arguments: profiles,
        )
        func exiftool(profile: Profile) throws {
            for picture in SharedPicture.all(in: "privacy") {
                guard let (bytes, format) = try picture.read() else { continue }
                let last = try #require(try transform(MemorySource(bytes), format, profile: profile).output.last)
                let groups = try Exiftool.groups(of: last.bytes)
                #expect(
                    groups.isDisjoint(with: ["EXIF", "XMP", "IPTC", "ICC_Profile", "MPF", "Photoshop", "MakerNotes"])
                )
            }
        }
    }
}

/// The widely used metadata reader, as an independent check.
private enum Exiftool {
    private static let path = "/usr/bin/exiftool"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    static func groups(of bytes: [UInt8]) throws -> Set<String> {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process(path, ["-G0", "-s", "-a", file.path])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Set(
            output.split(separator: "\n").compactMap { $0.split(separator: "]").first?.dropFirst() }.map(String.init)
        )
    }
}
