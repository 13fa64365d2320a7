package import Decoding
package import Media
import Synchronization
import Timing

/// A test of a decoder on a tiny image or clip.
package struct DecoderCheck: Sendable {
    private let pool: DecoderPool

    package init(pool: DecoderPool) { self.pool = pool }

    /// Decodes a tiny image, in a format that is not switched off. Does nothing if all are.
    ///
    /// - Throws: The failure that kept the decoder from writing an image.
    package func check() async throws(AttachmentFailure) {
        let disabled = pool.disabled
        guard
            let sample = SampleImages.all.first(where: { !disabled.mayConcern($0.format) })
                ?? SampleImages.all.first(where: { !disabled.refuses($0.format) })
        else { return }
        try await check(sample)
    }

    /// - Throws: The failure that kept the decoder from writing an image.
    func check(_ sample: (format: MediaFormat, bytes: [UInt8])) async throws(AttachmentFailure) {
        let image = Profile.apns.image
        try await check(sample.bytes, ConversionRequest(format: sample.format, image: image, animation: nil))
    }

    /// Decodes a clip and encodes it again.
    ///
    /// - Throws: The failure that kept the decoder from writing a clip.
    func checkClip(_ format: MediaFormat, _ bytes: [UInt8]) async throws(AttachmentFailure) {
        let profile = Profile.apns
        let request = ConversionRequest(
            format: format,
            image: profile.image,
            animation: nil,
            video: profile.video,
            audio: profile.audio,
            rungs: [.transcoded],
        )
        try await check(bytes, request)
    }

    private func check(_ bytes: [UInt8], _ request: ConversionRequest) async throws(AttachmentFailure) {
        let file = try MediaFile(byteLimit: bytes.count)
        try file.append(bytes)
        file.end(.whole)
        let outputs = Atomic(0)
        let deadline = Deadline(SystemTime().now + .seconds(5))
        try await pool.convert(
            ConversionJob(of: file, as: request, deadline: deadline) { event in
                if case .output = event { outputs.add(1, ordering: .relaxed) }
            }
        )
        guard outputs.load(ordering: .relaxed) > 0 else {
            throw AttachmentFailure(.decode, .internalError, "The decoder produced no output from a built-in sample.")
        }
    }
}
