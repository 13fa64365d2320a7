import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
import Processing
import Timing

/// The processing of a list: a few notifications at a time, each within its share of the time that is left.
struct ListProcessing: Sendable {
    struct Item: Sendable {
        var payload: JSONValue
        var options: NotificationService.Options
    }

    /// A list that was read. Its deadline is the soonest of its items.
    struct List: Sendable {
        var items: [Result<Item, Problem>]
        var timeLimit: Duration
    }

    typealias Answer = Result<ProcessingResult, Problem>

    let service: NotificationService
    let lanes: ListLanes

    /// Processes the items that could be read, and returns an answer for each, in order.
    ///
    /// The deadline of all is `timeLimit` after `accepted`. Items whose turn does not come by then are declined.
    func process(
        _ items: [Result<Item, Problem>],
        accepted: Instant,
        timeLimit: Duration,
    ) async -> [Answer] {
        await lanes.answers(to: items) { item, rounds in
            await answer(item, accepted, timeLimit, rounds: rounds)
        }
    }

    /// Processes one item. Where other items still wait, it gets no more than its share of the time.
    private func answer(_ item: Item, _ accepted: Instant, _ timeLimit: Duration, rounds: Int) async -> Answer {
        let now = service.now
        let remaining = accepted + timeLimit - now
        var options = item.options
        do throws(RequestError) {
            guard remaining > .zero else {
                options.timeLimit = timeLimit
                return .success(try service.decline(.value(item.payload), options: options, accepted: accepted))
            }
            options.timeLimit = remaining / rounds
            return .success(try await service.process(.value(item.payload), options: options, accepted: now))
        } catch {
            return .failure(Problem(error))
        }
    }
}

extension ListProcessing {
    /// Returns the response with `answers`, each as `json` writes it, and the worst of their outcomes.
    func response(
        _ answers: [Answer],
        accepted: Instant,
        timeLimit: Duration,
        json: (ProcessingResult) -> [UInt8],
    ) -> Response {
        let body = ListBody.bytes(answers, json: json)
        let total = service.now - accepted
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.attachdOutcome] = Self.worst(of: answers).rawValue
        headers[.attachdMargin] = String(max(.zero, timeLimit - total).milliseconds)
        headers[.serverTiming] = "total;dur=\(total.milliseconds)"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// Returns the worst outcome. Of an item that could not be read, nothing was delivered.
    private static func worst(of answers: [Answer]) -> ProcessingResult.Outcome {
        let outcomes = answers.map { (try? $0.get())?.outcome ?? .original }
        return ProcessingResult.Outcome.allCases.last { outcomes.contains($0) } ?? .original
    }
}
