import Base
import HTTPTypes
import Hummingbird
import Payloads
import Processing

/// The route `POST /v1/prepare`. It takes a list of sources, makes them ready ahead of time, and answers with a list in the
/// same order.
struct PrepareRoute: Sendable {
    let service: NotificationService
    let admission: Admission
    let lists: ListLimits

    func respond(to request: Request, from client: ClientAddress) async throws -> Response {
        let accepted = service.now
        let timeLimit = try timeLimit(in: request.headers)
        try admission.checkOpen(until: accepted + timeLimit)
        let lanes = ListLanes(admission: admission, limits: lists, client: client)
        let answers = try await RequestBody.with(request, lanes) { body in
            guard case .list(let bytes) = body else {
                throw Problem(.unprocessableContent, "Send a list of sources: [{\"source\": \"https://…\"}, …].")
            }
            return try await lanes.admit {
                try RequestBody.items(of: bytes).map(read)
            } answer: { sources in
                await lanes.answers(to: sources) { [service] source, rounds in
                    let now = service.now
                    let remaining = max(.milliseconds(1), accepted + timeLimit - now) / rounds
                    return .success(await service.prepare(source, accepted: now, timeLimit: remaining))
                }
            }
        }
        return Response.json(ListBody.bytes(answers) { $0.json.compactBytes })
    }

    private func timeLimit(in headers: HTTPFields) throws -> Duration {
        let limit = try RewriteRoute.timeLimit(in: headers) ?? NotificationService.longestTimeLimit
        do throws(RequestError) {
            return try NotificationService.checkTimeLimit(limit)
        } catch {
            throw Problem(error)
        }
    }

    private func read(_ element: JSONValue) -> Result<Preparation, Problem> {
        do throws(RequestError) {
            return .success(try service.check(PrepareRequest(element, now: .now)))
        } catch {
            return .failure(Problem(error))
        }
    }
}
