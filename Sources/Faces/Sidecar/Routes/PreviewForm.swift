import Hummingbird
import NIOCore

/// The fields of a form from a page of attachd (`application/x-www-form-urlencoded`).
struct PreviewForm {
    private let fields: [String: String]
    /// The maximum size in bytes: three bytes for each byte of a payload, and some more.
    private static let byteLimit = 262_144

    init(_ request: Request) async throws {
        let body = try await request.body.collect(upTo: Self.byteLimit)
        do {
            fields = try URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body))
        } catch {
            throw Problem(.badRequest, "The form was not understood.")
        }
    }

    subscript(name: String) -> String? { fields[name] }
}
