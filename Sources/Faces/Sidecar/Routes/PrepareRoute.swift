import HTTPTypes
import Hummingbird
import Payloads
import Processing
import Timing

/// The route `POST /v1/prepare`. It takes a list of sources, makes them ready ahead of time, and answers with a list in the
/// same order.
struct PrepareRoute: Sendable {
    let service: NotificationService
    let admission: Admission
    let lists: ListLimits

    func respond(to request: Request, from client: ClientAddress) async throws -> Response {
        let accepted = service.now
        let timeLimit = try RewriteRoute.timeLimit(in: request.headers) ?? NotificationService.longestTimeLimit
        guard timeLimit > .zero, timeLimit <= NotificationService.longestTimeLimit else {
            let longest = NotificationService.longestTimeLimit.milliseconds / 1000
            throw Problem(.badRequest, "Attachd-Deadline must be above 0 and at most \(longest)s.")
        }
        let answers = try await RequestBody.with(request, from: client, lists) { body in
            guard case .list(let elements) = body else {
                throw Problem(.unprocessableContent, "Send a list of sources: [{\"source\": \"https://…\"}, …].")
            }
            let lanes = ListLanes(admission: admission, limits: lists, client: client)
            return try await lanes.answers(to: elements.map(read)) { [service] source, rounds in
                let now = service.now
                let remaining = max(.milliseconds(1), accepted + timeLimit - now) / rounds
                do throws(RequestError) {
                    return .success(try await service.prepare(source, accepted: now, timeLimit: remaining))
                } catch {
                    return .failure(Problem(error))
                }
            }
        }
        var body: [UInt8] = []
        for answer in answers {
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch answer {
            case .success(let result): body += result.json.compactBytes
            case .failure(let problem): body += problem.body
            }
        }
        body.append(UInt8(ascii: "]"))
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)),
        )
    }

    private func read(_ element: JSONValue) -> Result<PrepareRequest, Problem> {
        do throws(RequestError) {
            let source = try PrepareRequest(element, now: .now)
            try service.check(source)
            return .success(source)
        } catch {
            return .failure(Problem(error))
        }
    }
}
