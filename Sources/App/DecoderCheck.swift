import Decoding
import Media
import Synchronization

/// Tries a decoder on a tiny picture.
struct DecoderCheck: Sendable {
    let pool: DecoderPool

    /// - Throws: what kept a picture from coming out.
    func check(_ sample: (format: MediaFormat, bytes: [UInt8])) async throws(AttachmentFailure) {
        let file = try MediaFile(byteLimit: sample.bytes.count)
        try file.append(sample.bytes)
        file.end(.whole)
        let published = Atomic(0)
        let request = ConversionRequest(format: sample.format, image: Profile.apns.image, animation: nil)
        try await pool.convert(
            file,
            as: request,
            outputCapacity: request.image.byteLimit,
            until: SystemTime().now + .seconds(5),
            publish: { _ in published.add(1, ordering: .relaxed) },
        )
        guard published.load(ordering: .relaxed) > 0 else {
            throw AttachmentFailure(.decode, .internalError, "The decoder made nothing of a sample.")
        }
    }
}
