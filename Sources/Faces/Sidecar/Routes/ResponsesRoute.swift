import HTTPTypes
import Hummingbird
package import Media
import NIOCore
package import Preview

/// The route `POST /v1/responses`. It posts a user's response to a notification to the operator's webhook, whose answer
/// decides what happens to the notification.
package struct ResponsesRoute: Sendable {
    let categories: [NotificationCategory]
    private let webhook: (any ResponsePoster)?

    /// Creates the route. Without a `webhook`, every response is forwarded to the app, as on a device without a content
    /// extension.
    package init(categories: [NotificationCategory], webhook: (any ResponsePoster)?) {
        self.categories = categories
        self.webhook = webhook
    }

    static func isAt(_ path: String) -> Bool { path.split(separator: "/") == ["v1", "responses"] }

    func respond(to request: Request) async throws -> Response {
        let body = try await request.payload()
        let response: NotificationResponse
        do throws(ResponseError) {
            response = try NotificationResponse(body, categories: categories)
        } catch .notJSON {
            throw Problem(.badRequest, "The response is not JSON.")
        } catch .malformed(let message) {
            throw Problem(.unprocessableContent, message)
        }
        return PreviewHeaders.bytes(try await answer(to: response).json, type: "application/json")
    }

    private func answer(to response: NotificationResponse) async throws -> ResponseAnswer {
        guard let webhook else { return ResponseAnswer(.dismissAndForwardAction) }
        let body: [UInt8]
        do throws(AttachmentFailure) {
            body = try await webhook.post(response.message)
        } catch {
            let status: HTTPResponse.Status = error.reason == .timedOut ? .gatewayTimeout : .badGateway
            throw Problem(status, "The response webhook did not answer: \(error.message)")
        }
        do throws(ResponseError) {
            return try ResponseAnswer(parsing: body)
        } catch {
            throw Problem(.badGateway, "The response webhook's answer is not valid. \(error)")
        }
    }
}

/// A client that posts responses to the operator's webhook. `App` conforms libcurl's downloader to it.
package protocol ResponsePoster: Sendable {
    /// Posts a response and returns the body of the answer.
    func post(_ response: [UInt8]) async throws(AttachmentFailure) -> [UInt8]
}
