import HTTPTypes
import Hummingbird
import Jobs
import Logging
import NIOCore
import Processing

/// A middleware that turns every error into a problem, so that clients never see a bare status or a library's text.
struct Problems<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            return problem.response(from: request, context: context)
        } catch let error as RequestError {
            return Problem(error).response(from: request, context: context)
        } catch let error as JobQueueError {
            return Problem(error).response(from: request, context: context)
        } catch let error as UnreadableRequestError {
            return Problem(error).response(from: request, context: context)
        } catch  where error is IOError || error is ChannelError {
            // The client has disconnected, so the answer does not matter.
            return Problem.unreadable.response(from: request, context: context)
        } catch let error as any HTTPResponseError {
            return problem(for: error.status, request).response(from: request, context: context)
        } catch {
            context.logger.error("A request failed.", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            let problem = Problem(.internalServerError, "attachd failed. See its log for the reason.")
            return problem.response(from: request, context: context)
        }
    }

    private func problem(for status: HTTPResponse.Status, _ request: Request) -> Problem {
        switch status {
        case .notFound: Problem(status, "There is nothing at \(request.uri.path). See the README for the routes.")
        case .contentTooLarge: Problem(status, "The body is over 64 KiB; a push payload is 4 kB at most.")
        default: Problem(status, "The request is not valid.")
        }
    }
}
