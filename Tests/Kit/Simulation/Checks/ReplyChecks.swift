import Jobs
import Media
import Payloads

/// The rules for the content of an answer.
///
/// `@unchecked Sendable`: a run has one thread.
final class ReplyChecks: @unchecked Sendable {
    private let verdict: Verdict
    private let files: FileTable

    init(_ verdict: Verdict, _ files: FileTable) {
        self.verdict = verdict
        self.files = files
    }

    /// Checks that nothing but the attachment changed, and that the file is the right one.
    func check(_ reply: JobReply, to entry: QueueState.Entry) {
        let id = entry.job.id
        guard reply.status != .failed, let envelope = try? JSONValue(parsing: entry.job.content),
            let original = envelope["payload"], let url = original["my-attachment"]?.text,
            let result = try? JSONValue(parsing: reply.body), let payload = result["payload"]
        else {
            return verdict.breaks(.contentKept, "\(id) was answered \(reply.status) with no result")
        }
        guard reply.status == .ok || reply.status == .degraded else {
            verdict.require(payload == original, .contentKept, "\(id) is \(reply.status) and has another payload")
            verdict.require(result["outcome"]?.text == "original", .contentKept, "\(id) has another outcome")
            return
        }
        guard case .object(let members) = payload else {
            return verdict.breaks(.contentKept, "\(id) has a payload that is not an object")
        }
        var kept = JSONValue.object(members.filter { $0.key != "attachments" })
        kept.set(at: JSONPointer(tokens: ["my-attachment"]), to: .string(url))
        verdict.require(kept == original, .contentKept, "\(id) lost or changed what is not its attachment's")
        guard case .array(let attachments)? = result["attachments"], let attachment = attachments.first else {
            return verdict.breaks(.contentKept, "\(id) is \(reply.status) without an attachment")
        }
        check(attachment, payload, url, profile: envelope["profile"]?.text, id)
    }

    private func check(_ attachment: JSONValue, _ payload: JSONValue, _ url: String, profile: String?, _ id: String) {
        guard let link = attachment["url"]?.text, payload["my-attachment"]?.text == link, let file = files[link] else {
            return verdict.breaks(.rightSource, "\(id) has the URL of no file")
        }
        verdict.require(file.source == url, .rightSource, "\(id) has a file of \(file.source), not of \(url)")
        let rules = (Profile.builtIn.first { $0.name == profile ?? "apns" } ?? .apns)
        let limits = [rules.image.byteLimit, rules.animation?.byteLimit, rules.video?.byteLimit].compactMap(\.self)
        verdict.require(
            file.byteCount <= limits.max() ?? 0,
            .withinProfile,
            "\(id) has \(file.byteCount) bytes",
        )
        let edge = max(rules.image.longEdge, rules.animation?.longEdge ?? 0, rules.video?.longEdge ?? 0)
        verdict.require(file.longEdge <= edge, .withinProfile, "\(id) has \(file.longEdge) pixels")
    }
}
