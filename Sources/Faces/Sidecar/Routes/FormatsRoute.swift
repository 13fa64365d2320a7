import HTTPTypes
import Hummingbird
import Jobs
package import Media
import NIOCore
import Payloads

/// The routes `GET` and `POST /v1/formats`: the formats and codecs that are switched off.
package struct FormatsRoute: Sendable {
    private let lists: @Sendable () -> FormatSwitch.Lists
    private let replace: @Sendable (DisabledFormats) async throws -> Void

    /// Creates the routes. `replace` replaces the list of the fleet, and throws if the fleet cannot learn of it.
    package init(
        lists: @escaping @Sendable () -> FormatSwitch.Lists,
        replace: @escaping @Sendable (DisabledFormats) async throws -> Void,
    ) {
        self.lists = lists
        self.replace = replace
    }

    /// Returns whether a path is that of the routes. Like the router, it ignores repeated slashes.
    static func isAt(_ path: String) -> Bool { path.split(separator: "/") == ["v1", "formats"] }

    func add(to router: Router<some RequestContext>) {
        router.get("v1/formats") { _, _ in answer() }
        router.post("v1/formats") { request, _ in
            try await change(to: try await request.payload())
            return answer()
        }
    }

    private func change(to body: [UInt8]) async throws {
        guard let json = try? JSONValue(parsing: body) else { throw Problem(.badRequest, "The request is not JSON.") }
        guard case .object(let members) = json, members.map(\.key) == ["disabled"],
            case .array(let values)? = json["disabled"]
        else { throw Problem(.unprocessableContent, Self.form) }
        let names = values.compactMap(\.text)
        guard names.count == values.count else { throw Problem(.unprocessableContent, Self.form) }
        let (disabled, unknown) = DisabledFormats.reading(names)
        guard unknown.isEmpty else {
            let known = DisabledFormats.allNames.joined(separator: ", ")
            let problem = "\(unknown.count) of the names are neither a format nor a codec. Write some of: \(known)."
            throw Problem(.unprocessableContent, problem)
        }
        do {
            try await replace(disabled)
        } catch {
            let advice = "The queue's Redis did not take the list, so workers may not have it. Send it again."
            throw Problem(.serviceUnavailable, "\(advice) (\(error))", retryAfter: 1)
        }
    }

    private static let form = #"Send everything that is to be off, such as {"disabled": ["heic", "hevc"]}."#

    private func answer() -> Response {
        let lists = lists()
        let json = JSONValue.object([
            .init("disabled", Self.array(lists.disabled.names)),
            .init("settings", Self.array(lists.settings.names)),
            .init("fleet", Self.array(lists.fleet.names)),
            .init("formats", Self.array(MediaFormat.allCases.map(\.rawValue))),
            .init("codecs", Self.array(MediaCodec.allCases.map(\.rawValue))),
        ])
        return Response.json(json.compactBytes, mayBeStored: false)
    }

    private static func array(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}
