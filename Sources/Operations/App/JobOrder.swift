package import Jobs
import Downloads
import Media
import Payloads
import Processing
import Timing

/// A payload and what the command line asks for it, as a job.
package struct JobOrder: Sendable {
    package var id: String?
    package var profile: String?
    package var callback: String?

    package init(id: String?, profile: String?, callback: String?) {
        self.id = id
        self.profile = profile
        self.callback = callback
    }

    /// Throws for what is no payload, and for options that make no sense.
    package func job(_ payload: [UInt8], _ settings: Settings) throws -> Job {
        // Which addresses may be called is the worker's to say: it may have another configuration.
        if let refusal = callback.flatMap({ CallbackURL.refusal(of: $0) }) {
            throw RequestError.envelope("--callback can never be called: \(refusal).")
        }
        let id = id ?? RandomIdentifier.make()
        var members = [
            JSONValue.Member("id", .string(id)), .init("payload", try JSONValue(parsing: payload)),
            .init("deadline", .string("\(settings.deadline.milliseconds)ms")),
        ]
        if let profile { members.append(.init("profile", .string(profile))) }
        if let callback { members.append(.init("callback", .string(callback))) }
        let content = JSONValue.object(members).compactBytes
        _ = try NotificationEnvelope(content, isJob: true)
        return Job(
            id: id,
            timeLimit: settings.deadline,
            content: content,
            answer: .init(callback: callback),
        )
    }
}
