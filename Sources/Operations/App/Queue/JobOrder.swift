package import Settings
package import Jobs
import HTTPClient
import Media
import Payloads
import Processing
import Timing

/// A payload and the options of `attachd enqueue`, from which a job is made.
package struct JobOrder: Sendable {
    package var id: String?
    package var tenant: String?
    package var profile: String?
    package var callback: String?

    package init(id: String?, tenant: String? = nil, profile: String?, callback: String?) {
        self.id = id
        self.tenant = tenant
        self.profile = profile
        self.callback = callback
    }

    /// Returns the job. Throws if the payload is not valid or the options contradict each other.
    package func job(_ payload: [UInt8], _ settings: Settings) throws -> Job {
        // The worker decides which addresses are allowed: its configuration may differ from this one.
        if let refusal = callback.flatMap({ CallbackURL.refusal(of: $0) }) {
            throw RequestError.envelope("The --callback URL can never be used: \(refusal).")
        }
        let id = id ?? RandomIdentifier.make()
        var members = [
            JSONValue.Member("id", .string(id)), .init("payload", try JSONValue(parsing: payload)),
            .init("deadline", .string("\(settings.deadline.milliseconds)ms")),
        ]
        if let tenant { members.append(.init("tenant", .string(tenant))) }
        if let profile { members.append(.init("profile", .string(profile))) }
        if let callback { members.append(.init("callback", .string(callback))) }
        let content = JSONValue.object(members).compactBytes
        _ = try NotificationEnvelope(content, isJob: true)
        return Job(
            id: id,
            tenant: tenant ?? Job.defaultTenant,
            timeLimit: settings.deadline,
            content: content,
            answer: .init(callback: callback),
        )
    }
}
