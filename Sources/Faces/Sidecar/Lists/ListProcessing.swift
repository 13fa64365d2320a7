import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
import Processing
import Timing

/// The processing of a list: a few notifications at a time, each within its share of the time that is left.
///
/// Each notification under way has a permit, as one in a request of its own. A list takes as many permits as are free, at
/// most its share, also while it runs, and is refused only if none is free at first.
struct ListProcessing: Sendable {
    struct Item: Sendable {
        var payload: JSONValue
        var options: NotificationService.Options
    }

    typealias Answer = Result<ProcessingResult, Problem>

    let service: NotificationService
    let admission: Admission
    let limits: ListLimits
    let client: ClientAddress

    /// Processes the items that could be read, and returns an answer for each, in order.
    ///
    /// The deadline of all is `timeLimit` after `accepted`. Items whose turn does not come by then are declined.
    func process(
        _ items: [Result<Item, Problem>],
        accepted: Instant,
        timeLimit: Duration,
    ) async throws -> [Answer] {
        try admission.checkOpen()
        let readable = items.enumerated().compactMap { index, item in (try? item.get()).map { (index, $0) } }
        var answers: [Answer] = items.map { item in
            switch item {
            case .success: .failure(Problem(.internalServerError, "attachd failed. See its log for the reason."))
            case .failure(let problem): .failure(problem)
            }
        }
        guard !readable.isEmpty else { return answers }
        // The permits of the list, and those of them that no notification uses now.
        var permits = try enter()
        var idle = permits
        var next = 0
        await withTaskGroup(of: (Int, Answer).self) { group in
            repeat {
                // Permits that others return are taken later, too.
                while idle < readable.count - next, permits < limits.share, takePermit() {
                    permits += 1
                    idle += 1
                }
                while idle > 0, next < readable.count {
                    let (index, item) = readable[next]
                    let rounds = (readable.count - next + permits - 1) / permits
                    idle -= 1
                    next += 1
                    group.addTask { (index, await answer(item, accepted, timeLimit, rounds: rounds)) }
                }
                if next == readable.count {
                    for _ in 0..<idle { leave() }
                    permits -= idle
                    idle = 0
                }
                guard let (index, answer) = await group.next() else { break }
                answers[index] = answer
                idle += 1
            } while true
        }
        return answers
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

    /// Takes the first permit, without which a list is refused.
    private func enter() throws -> Int {
        guard takePermit() else {
            let detail = "Too many notifications are in progress already. Try again shortly, or raise --requests."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        return 1
    }

    private func takePermit() -> Bool {
        guard limits.permits.enter(client) else { return false }
        guard admission.enter() else {
            limits.permits.leave(client)
            return false
        }
        return true
    }

    private func leave() {
        admission.leave()
        limits.permits.leave(client)
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
        var body: [UInt8] = []
        for answer in answers {
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch answer {
            case .success(let result): body += json(result)
            case .failure(let problem): body += problem.body
            }
        }
        body.append(UInt8(ascii: "]"))
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
