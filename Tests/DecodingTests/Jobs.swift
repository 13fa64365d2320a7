import DecoderWire
import Decoding
import Foundation
import Media
import Synchronization

/// What came of one conversion.
struct Conversion: Sendable {
    var source: SourceReport?
    var rungs: [ReadyRung] = []
    var failure: AttachmentFailure?
}

extension DecoderPool {
    /// Converts `bytes`, all of which are there.
    func convert(_ bytes: [UInt8], format: MediaFormat = .jpeg) async throws -> Conversion {
        let file = try MediaFile(byteLimit: 100_000_000)
        try unsafe bytes.withUnsafeBytes { unsafe try file.append($0) }
        file.end(.whole)
        return await convert(file, format: format)
    }

    func convert(
        _ file: MediaFile,
        format: MediaFormat = .jpeg,
        within limit: Duration = .seconds(30),
        expiry: ExpirySignal = ExpirySignal(),
    ) async -> Conversion {
        let result = Mutex(Conversion())
        do throws(AttachmentFailure) {
            try await convert(
                file,
                as: .jpegForIOS(format),
                outputCapacity: 20_000_000,
                until: SystemTime().now + limit,
                expiry: expiry,
                describe: { source in result.withLock { $0.source = source } },
                publish: { rung in result.withLock { $0.rungs.append(rung) } },
            )
        } catch {
            result.withLock { $0.failure = error }
        }
        return result.withLock { $0 }
    }
}

extension ConversionRequest {
    static func jpegForIOS(_ format: MediaFormat) -> ConversionRequest {
        ConversionRequest(format: format, image: Profile.apns.image, animation: Profile.apns.animation)
    }
}
