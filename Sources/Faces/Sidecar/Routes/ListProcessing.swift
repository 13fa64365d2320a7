import Base
import HTTPTypes
import Hummingbird
import NIOCore
import Payloads
import Processing

/// The processing of a list: a few notifications at a time, each within its share of the time that is left.
struct ListProcessing: Sendable {
    /// A list that was read. Its deadline is the soonest of its items.
    struct List: Sendable {
        var items: [Result<ProcessingRequest, Problem>]

        var timeLimit: Duration {
            let limits = items.compactMap { item in (try? item.get())?.timeLimit }
            return limits.min() ?? NotificationService.longestTimeLimit
        }
    }

    typealias Answer = Result<ProcessingResult, Problem>

    let service: NotificationService
    let lanes: ListLanes

    /// Processes the items that could be read, and returns an answer for each, in order.
    ///
    /// The deadline of all is `timeLimit` after `accepted`. Items whose turn does not come by then are declined. Where other
    /// items still wait, one gets no more than its share of the time.
    func process(
        _ items: [Result<ProcessingRequest, Problem>],
        accepted: Instant,
        timeLimit: Duration,
    ) async -> [Answer] {
        await lanes.answers(to: items) { [service] item, rounds in
            let now = service.now
            let remaining = accepted + timeLimit - now
            guard remaining > .zero else {
                return .success(service.decline(item, accepted: accepted, within: timeLimit))
            }
            return .success(await service.process(item, accepted: now, within: remaining / rounds))
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
        service.left(answers.compactMap { try? $0.get() })
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// Returns the worst outcome. Of an item that could not be read, nothing was delivered.
    private static func worst(of answers: [Answer]) -> ProcessingResult.Outcome {
        let outcomes = answers.map { (try? $0.get())?.outcome ?? .original }
        return ProcessingResult.Outcome.allCases.last { outcomes.contains($0) } ?? .original
    }
}

// MARK: - Lanes

/// The lanes of a list: a few items at a time, each with a permit, as one in a request of its own.
///
/// A list takes as many permits as are free, at most its share, also while it runs. It is refused only if none is free at
/// first, before it is read: reading a list is work, too.
struct ListLanes: Sendable {
    let admission: Admission
    let limits: ListLimits
    let client: ClientAddress

    /// Throws if a list would be refused now. Whoever sends one learns it from its first byte on.
    func checkRoom() throws {
        try admission.checkOpen()
        guard limits.permits.hasRoom(client), admission.hasRoom else { throw Self.full }
    }

    /// Reads a list and answers it with its first permit, on the thread of long work. Throws if there is no permit. The
    /// body must have arrived, so that a slow client does not hold a permit.
    func admit<Items: Sendable, Value: Sendable>(
        read: @Sendable () throws -> Items,
        answer: @concurrent @Sendable (Items) async throws -> Value,
    ) async throws -> Value {
        try admission.checkOpen()
        guard takePermit() else { throw Self.full }
        defer { leave() }
        let items = try await limits.longWork.read(from: client, read)
        return try await limits.longWork.perform { try await answer(items) }
    }

    /// Answers the items that could be read, in order, beginning with the permit of `admit`. `rounds` is the number of items that one lane still has before it,
    /// the one to answer included.
    func answers<Item: Sendable, Value: Sendable>(
        to items: [Result<Item, Problem>],
        _ answer: @escaping @Sendable (Item, _ rounds: Int) async -> Result<Value, Problem>,
    ) async -> [Result<Value, Problem>] {
        let readable = items.enumerated().compactMap { index, item in (try? item.get()).map { (index, $0) } }
        var answers: [Result<Value, Problem>] = items.map { item in
            switch item {
            case .success: .failure(Problem(.internalServerError, "attachd failed. See its log for the reason."))
            case .failure(let problem): .failure(problem)
            }
        }
        guard !readable.isEmpty else { return answers }
        // The permits of the list, and those of them that no item uses now. `admit` takes and returns the first.
        var permits = 1
        var idle = 1
        var next = 0
        await withTaskGroup(of: (Int, Result<Value, Problem>).self) { group in
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
                    group.addTask { [admission] in (index, await admission.lending { await answer(item, rounds) }) }
                }
                if next == readable.count {
                    let spare = min(idle, permits - 1)
                    for _ in 0..<spare { leave() }
                    permits -= spare
                    idle -= spare
                }
                guard let (index, answer) = await group.next() else { break }
                answers[index] = answer
                idle += 1
            } while true
        }
        return answers
    }

    private static let full = Problem(
        .tooManyRequests,
        "Too many notifications are in progress already. Try again shortly, or raise --requests.",
        retryAfter: 1,
    )

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

// MARK: - The answer's body

/// The body of the response to a list: a JSON array with an answer for each element, in order.
enum ListBody {
    /// Returns the body with `answers`, each as `json` writes it, or its problem.
    static func bytes<Value>(
        _ answers: [Result<Value, Problem>],
        json: (Value) -> [UInt8],
    ) -> [UInt8] {
        var body: [UInt8] = []
        for answer in answers {
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch answer {
            case .success(let value): body += json(value)
            case .failure(let problem): body += problem.body
            }
        }
        if body.isEmpty { body.append(UInt8(ascii: "[")) }
        return body + [UInt8(ascii: "]")]
    }
}

// MARK: - Limits

/// The limits of lists: many notifications in one request. They leave most permits and most memory to other clients.
struct ListLimits: Sendable {
    /// The most notifications of one list.
    static let itemLimit = 100
    /// The largest body of a list, in bytes: a hundred payloads of 5 KiB, the most that APNs takes, with room for their
    /// envelopes.
    static let byteLimit = 524_288

    /// The most notifications of one list that are processed at the same time.
    let share: Int
    /// The permits that all lists together may have. Four lists of five minutes would otherwise hold them all.
    let permits: SharedAdmission
    /// The permits for bodies that are larger than the body of a single notification. A slow client holds one for as long
    /// as its body may take.
    let bodies: SharedAdmission
    /// The thread that reads lists and long bodies, and the limit of requests that wait for it.
    let longWork: LongWork

    /// Creates the limits of lists where `requestLimit` notifications may be processed at the same time.
    init(requestLimit: Int) {
        share = max(1, requestLimit / 8)
        permits = SharedAdmission(limit: max(1, requestLimit / 2))
        bodies = SharedAdmission(limit: max(2, requestLimit / 16))
        longWork = LongWork(places: max(8, requestLimit / 16))
    }
}
