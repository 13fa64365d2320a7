/// Tiny media to warm a decoder up and to test one with: one for each supported format of pictures, and one for each common
/// codec of the web. They are the files of the folder `Samples`, embedded into the programs.
package enum SampleMedia {
    /// Pictures of 16 pixels a side.
    package static let pictures: [(format: MediaFormat, bytes: [UInt8])] = [
        (.jpeg, PackageResources.picture_jpeg), (.png, PackageResources.picture_png),
        (.gif, PackageResources.picture_gif), (.webp, PackageResources.picture_webp),
        (.heic, PackageResources.picture_heic), (.avif, PackageResources.picture_avif),
        (.tiff, PackageResources.picture_tiff),
    ]

    /// Clips of 0.3 seconds of a test picture, 64 pixels a side, or of 0.2 seconds of a tone.
    package static let clips: [(codec: String, format: MediaFormat, bytes: [UInt8])] = [
        ("H.264", .mp4, PackageResources.h264_mp4), ("HEVC", .mp4, PackageResources.hevc_mp4),
        ("VP9", .webm, PackageResources.vp9_webm), ("AV1", .mp4, PackageResources.av1_mp4),
        ("AAC", .m4a, PackageResources.aac_m4a), ("MP3", .mp3, PackageResources.mp3_mp3),
        ("Opus", .ogg, PackageResources.opus_ogg),
    ]

    /// All samples, with names for files.
    package static var files: [(name: String, bytes: [UInt8])] {
        let all =
            pictures.map { ("picture", $0.format, $0.bytes) }
            + clips.map { ("clip-\($0.codec.lowercased().filter(\.isLetter))", $0.format, $0.bytes) }
        return all.map { ("\($0).\($1.filenameExtension)", $2) }
    }
}
