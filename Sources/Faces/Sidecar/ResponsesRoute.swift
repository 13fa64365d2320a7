import HTTPTypes
import Hummingbird
import Media
import NIOCore
package import Preview

/// `POST /v1/responses`: what a person did with a notification, told to the operator's webhook, whose answer says what
/// becomes of it.
package struct ResponsesRoute: Sendable {
    private let categories: [NotificationCategory]
    private let webhook: (any ResponsePoster)?

    /// Without a `webhook` every response is the app's, as on a device where no content extension takes it.
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
            throw Problem(.badGateway, "The response webhook's answer makes no sense. \(error)")
        }
    }
}
