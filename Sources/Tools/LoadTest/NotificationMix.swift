import Foundation
import Media
import Payloads
import SeededRandom
package import Timing

/// What is sent: payloads and the sources that they name, drawn by weight.
package struct NotificationMix: Sendable {
    /// Where a template has `{n}` stands the notification's number, for `{id}` its identifier, for `{media}` its source.
    package static let plainPayload =
        #"{"aps":{"mutable-content":1,"alert":"Load test {n}"},"my-attachment":"{media}"}"#

    package var payloads = [Weighted(plainPayload)]
    /// URLs. There has to be one.
    package var sources: [Weighted<String>]
    /// The time that each notification has.
    package var deadline: Duration
    package var profile: String?
    /// Whether each notification has a source URL of its own, so that none profits from the work for another.
    package var isUnique = true
    package var seed: UInt64 = 1
    /// Sets this run's identifiers apart from those of every other run.
    package var run = String(UInt32.random(in: .min ... .max), radix: 36)

    package init(sources: [Weighted<String>], deadline: Duration) {
        self.sources = sources
        self.deadline = deadline
    }

    /// The same number gives the same notification, but for the run's name.
    package func notification(_ number: Int, due: Instant) -> LoadNotification {
        var random = SplitMix(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
        let identifier = "\(run)-\(number)"
        let template = payloads.draw(using: &random)
        var source = sources.draw(using: &random)
        if isUnique { source += "\(source.contains("?") ? "&" : "?")n=\(identifier)" }
        let payload = template.replacingOccurrences(of: "{n}", with: "\(number)")
            .replacingOccurrences(of: "{id}", with: identifier)
            .replacingOccurrences(of: "{media}", with: source)
        return LoadNotification(
            identifier: identifier,
            payload: Array(payload.utf8),
            deadline: deadline,
            profile: profile,
            due: due,
        )
    }
}

/// One notification of the load.
package struct LoadNotification: Sendable {
    package var identifier: String
    package var payload: [UInt8]
    /// From when it is due to its answer.
    package var deadline: Duration
    package var profile: String?
    /// When it should go out, whatever the generator or the target is doing.
    package var due: Instant

    /// The envelope of `POST /v1/notifications` and of jobs. The payload stands in it as it is.
    package var envelope: [UInt8] {
        var head = #"{"id":"\#(identifier)","deadline":"\#(deadline.milliseconds)ms","#
        if let profile {
            head += "\"profile\":\(String(decoding: JSONValue.string(profile).compactBytes, as: UTF8.self)),"
        }
        return Array((head + "\"payload\":").utf8) + payload + Array("}".utf8)
    }
}
