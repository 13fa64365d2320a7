package import Base
import FoundationEssentials
package import Jobs
import Media
import NIOHTTP1
import Payloads

// MARK: - The sidecar

/// A target that sends notifications to a sidecar, through one of its HTTP routes.
package struct SidecarTarget: LoadTarget {
    package enum Route: String, Sendable, CaseIterable {
        case notifications = "/v1/notifications"
        case rewrite = "/v1/rewrite"
        case jobs = "/v1/jobs"
    }

    private let connections: HTTPConnections
    private let route: Route
    private let time: any TimeSource = SystemTime()

    package init(_ connections: HTTPConnections, _ route: Route) {
        self.connections = connections
        self.route = route
    }

    package func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer {
        var message = HTTPMessage(method: .POST, path: route.rawValue, headers: [("Content-Type", "application/json")])
        if route == .rewrite {
            message.body = notification.payload
            message.headers.append(("Attachd-Deadline", "\(notification.deadline.milliseconds)ms"))
            if let profile = notification.profile { message.headers.append(("Attachd-Profile", profile)) }
        } else {
            message.body = notification.envelope
        }
        let begun = time.now
        do throws(HTTPExchangeError) {
            let reply = try await connections.send(message, until: end)
            switch (reply.status, route) {
            case (200, .rewrite): return Self.rewritten(reply)
            case (200, .notifications):
                let result = (try? JSONValue(parsing: reply.body)) ?? .null
                return LoadAnswer(result: result, sent: reply.sent, answered: reply.answered)
            case (202, .jobs): return try await result(of: notification.identifier, sent: reply.sent, until: end)
            case (let status, _):
                let outcome = [429, 503].contains(status) ? LoadAnswer.Outcome.refused : .failed
                return LoadAnswer(outcome, sent: reply.sent, answered: reply.answered, reason: "HTTP \(status)")
            }
        } catch {
            return LoadAnswer(
                error.isTimeout ? .unanswered : .failed,
                sent: begun,
                answered: error.isTimeout ? end : time.now,
                reason: error.message,
            )
        }
    }

    /// Returns the result of a job by long polling.
    private func result(of identifier: String, sent: Instant, until end: Instant) async throws(HTTPExchangeError)
        -> LoadAnswer
    {
        while true {
            let waitTime = max(.milliseconds(1), min(end - time.now, .seconds(10)))
            let path = "\(Route.jobs.rawValue)/\(identifier)?wait=\(waitTime.milliseconds)ms"
            let reply = try await connections.send(HTTPMessage(path: path), until: end)
            guard reply.status == 200 else {
                let reason = "HTTP \(reply.status) for a job"
                return LoadAnswer(.failed, sent: sent, answered: reply.answered, reason: reason)
            }
            if let result = (try? JSONValue(parsing: reply.body))?["result"] {
                return LoadAnswer(result: result, sent: sent, answered: reply.answered)
            }
        }
    }

    /// Reads the result of a rewritten payload, which is in the header fields.
    private static func rewritten(_ reply: HTTPReply) -> LoadAnswer {
        func header(_ name: String) -> String? { reply.headers.first(name: name) }
        guard let outcome = header("Attachd-Outcome").flatMap(LoadAnswer.Outcome.init), outcome.isAnswer else {
            return LoadAnswer(.failed, sent: reply.sent, answered: reply.answered, reason: "the answer has no outcome")
        }
        var answer = LoadAnswer(outcome, sent: reply.sent, answered: reply.answered)
        answer.margin = header("Attachd-Margin").flatMap { Double($0) }.map { .milliseconds(clamping: $0) }
        for entry in header("Server-Timing")?.components(separatedBy: ", ") ?? [] {
            let parts = entry.components(separatedBy: ";dur=")
            if parts.count == 2, Budget.stages.contains(parts[0]), let milliseconds = Double(parts[1]) {
                answer.stages[parts[0]] = .milliseconds(clamping: milliseconds)
            }
        }
        return answer
    }
}

// MARK: - The queue

/// A target that enqueues jobs through the queue's engine. Answers arrive when the engine reports them: with Redis
/// within 50 ms.
package struct QueueTarget: LoadTarget {
    private let queue: any JobQueue
    private let time: any TimeSource = SystemTime()

    package init(_ queue: any JobQueue) { self.queue = queue }

    package func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer {
        let sent = time.now
        func answer(_ outcome: LoadAnswer.Outcome, _ reason: String) -> LoadAnswer {
            LoadAnswer(outcome, sent: sent, answered: time.now, reason: reason)
        }
        let job = Job(
            id: notification.identifier,
            timeLimit: notification.deadline,
            content: notification.envelope,
        )
        do {
            guard try await queue.enqueue(job).refusal(for: job.tenant) == nil else {
                return answer(.refused, "the queue is full")
            }
            while time.now < end {
                switch try await queue.state(of: job.name, waiting: min(end - time.now, .seconds(10))) {
                case .waiting, .running: continue
                case .unknown: return answer(.failed, "the queue does not know the job")
                case .finished(let reply):
                    let now = time.now
                    guard let result = try? JSONValue(parsing: reply.body) else {
                        return answer(.failed, "the job's status is \(reply.status.rawValue)")
                    }
                    return LoadAnswer(result: result, sent: sent, answered: now)
                }
            }
            return LoadAnswer(.unanswered, sent: sent, answered: end, reason: "no answer in time")
        } catch {
            return answer(.failed, "the queue failed")
        }
    }
}
