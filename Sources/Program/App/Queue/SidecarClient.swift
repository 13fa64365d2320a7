import Base
import Downloads
import HTTPClient
import Jobs
package import Media
package import Payloads
import Processing
package import Settings
import Sidecar
package import Storage

/// A client of another attachd process on this machine. That process has the queue's file open, and only one process
/// may write it.
package struct SidecarClient: Sendable {
    private let client: HTTPClient
    private let server: String
    private var base: String { "\(server)/v1/jobs" }
    private let token: Secret<String>?
    /// The time that a request may take in addition to the wait that it asks for.
    private static let timeLimit: Duration = .seconds(10)

    package init(_ settings: Settings) throws {
        var http = settings.downloads.http
        // Uses the address that the settings give. `0.0.0.0` means every address of this machine, so also the loopback
        // address.
        let host = ["0.0.0.0", "::", "localhost"].contains(settings.host) ? "127.0.0.1" : settings.host
        http.addresses.allowed += try [CIDR("127.0.0.0/8"), CIDR("::1/128")]
        // It sends nothing while it works.
        http.stall.window = NotificationService.longestTimeLimit + Self.timeLimit
        client = HTTPClient(settings: http)
        server = "http://\(host.contains(":") ? "[\(host)]" : host):\(settings.port)"
        token = settings.apiToken
    }

    func enqueue(_ job: Job) async throws -> Enqueued {
        let content = OutgoingMessage(body: job.content, headers: ["Content-Type": "application/json"])
        switch try await send(content, to: base) {
        case (202, _): return .accepted
        case (429, _): return .busy
        case (let status, _): throw Self.refused(status)
        }
    }

    func state(of name: JobName, waiting waitTime: Duration) async throws -> JobState {
        let tenant = name.tenant == Job.defaultTenant ? "" : "&tenant=\(name.tenant.percentEncoded)"
        let url = "\(base)/\(name.id.percentEncoded)?wait=\(waitTime.milliseconds)ms\(tenant)"
        switch try await send(OutgoingMessage(headers: [:]), to: url, within: waitTime) {
        case (404, _): return .unknown
        case (409, _): return .finished(JobReply(.cancelled, body: []))
        case (200, let body):
            let answer = try JSONValue(parsing: body)
            guard let result = answer["result"], let status = answer["status"]?.text.flatMap(JobReply.Status.init)
            else { return answer["state"]?.text == "waiting" ? .waiting : .running }
            return .finished(JobReply(status, body: result.compactBytes))
        case (let status, _): throw Self.refused(status)
        }
    }

    /// Tells the other attachd to remove the attachments that `reference` names, and returns the names of the removed
    /// files.
    package func forget(_ reference: AttachmentReference) async throws -> [String] {
        let path = reference.source.map { "?source=\($0.percentEncoded)" } ?? reference.file.map { "/\($0)" } ?? ""
        let answer = try await send(OutgoingMessage(.delete, headers: [:]), to: "\(server)/v1/attachments\(path)")
        guard answer.0 != 404 else { return [] }
        guard answer.0 == 200 else { throw Self.refused(answer.0) }
        guard case .array(let names)? = try JSONValue(parsing: answer.1)["forgotten"] else { return [] }
        return names.compactMap(\.text)
    }

    /// Has the running attachd make sources ready ahead of time. Returns its answers, in order, or `nil` while it has too
    /// much to do.
    package func prepare(_ sources: [JSONValue]) async throws(AttachmentFailure) -> [JSONValue]? {
        let longest = NotificationService.longestTimeLimit
        var message = OutgoingMessage(
            body: JSONValue.array(sources).compactBytes,
            headers: ["Content-Type": "application/json", "Attachd-Deadline": "\(longest.milliseconds)ms"],
        )
        message.secretHeaders = secretHeaders
        let answer: MessageAnswer
        do throws(AttachmentFailure) {
            let deadline = SystemTime().now + longest + Self.timeLimit
            answer = try await client.send(message, to: "\(server)/v1/prepare", until: deadline)
        } catch {
            let advice = "No attachd answers at \(server): start `attachd serve`, or give its address with --listen."
            throw AttachmentFailure(.download, error.reason, "\(advice) \(error.message)")
        }
        if [429, 503].contains(answer.status) { return nil }
        guard answer.status == 200, case .array(let answers)? = try? JSONValue(parsing: answer.body),
            answers.count == sources.count
        else {
            let detail = (try? JSONValue(parsing: answer.body))?["detail"]?.text ?? "See its log."
            throw AttachmentFailure(.download, .httpStatus, "\(server) answered \(answer.status). \(detail)")
        }
        return answers
    }

    private var secretHeaders: [String: Secret<String>] {
        token.map { ["Authorization": Secret("Bearer \($0.revealed)")] } ?? [:]
    }

    package func shutDown() { client.stop() }

    private func send(
        _ message: OutgoingMessage,
        to url: String,
        within waitTime: Duration = .zero,
    ) async throws -> (Int, [UInt8]) {
        do throws(AttachmentFailure) {
            let deadline = SystemTime().now + waitTime + Self.timeLimit
            var message = message
            message.secretHeaders = secretHeaders
            let answer = try await client.send(message, to: url, until: deadline)
            return (answer.status, answer.body)
        } catch {
            let message =
                "Another attachd has the queue's file open, and \(base) does not answer. "
                + "Give its address with --listen."
            throw JobQueueError(.unavailable, message)
        }
    }

    private static func refused(_ status: Int) -> JobQueueError {
        let advice =
            switch status {
            case 401: "give its --api-token-file"
            case 422: "it does not accept this payload or --callback; check its --allow-address"
            default: "see its log"
            }
        return JobQueueError(.broken, "The attachd that has the queue's file open answered \(status): \(advice).")
    }
}
