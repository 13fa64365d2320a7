package import Base
import Foundation
import Media
import Payloads

/// The notifications to send: payloads and source URLs, chosen at random by weight.
package struct NotificationMix: Sendable {
    /// The default template. `{n}` stands for the notification's number, `{id}` for its identifier, and `{media}` for
    /// its source.
    package static let plainPayload =
        #"{"aps":{"mutable-content":1,"alert":"Load test {n}"},"my-attachment":"{media}"}"#

    package var payloads = [Weighted(plainPayload)]
    /// The source URLs; at least one.
    package var sources: [Weighted<String>]
    /// The time limit of each notification.
    package var deadline: Duration
    package var profile: String?
    /// A Boolean value that indicates whether each notification has its own source URL, so that none shares the work of
    /// another.
    package var isUnique = true
    package var seed: UInt64 = 1
    /// The name of the run, which makes its identifiers differ from those of every other run.
    package var run = String(UInt32.random(in: .min ... .max), radix: 36)

    package init(sources: [Weighted<String>], deadline: Duration) {
        self.sources = sources
        self.deadline = deadline
    }

    /// Returns the notification with a number. Runs differ only in the run's name.
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

/// A notification of the load.
package struct LoadNotification: Sendable {
    package var identifier: String
    package var payload: [UInt8]
    /// The time from its due time to its answer.
    package var deadline: Duration
    package var profile: String?
    /// The time at which it should be sent, whatever the generator and the target are doing.
    package var due: Instant

    /// The envelope for `POST /v1/notifications` and for jobs. It contains the payload unchanged.
    package var envelope: [UInt8] {
        var head = #"{"id":"\#(identifier)","deadline":"\#(deadline.milliseconds)ms","#
        if let profile {
            head += "\"profile\":\(String(decoding: JSONValue.string(profile).compactBytes, as: UTF8.self)),"
        }
        return Array((head + "\"payload\":").utf8) + payload + Array("}".utf8)
    }
}

// MARK: - Weights

/// One of several choices, with its weight.
package struct Weighted<Value: Sendable>: Sendable {
    package var value: Value
    package var weight: Double

    package init(_ value: Value, weight: Double = 1) {
        self.value = value
        self.weight = weight
    }

    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Weighted<Other> {
        Weighted<Other>(try transform(value), weight: weight)
    }
}

extension Weighted<String> {
    /// Parses `WEIGHT:TEXT`, or `TEXT` alone.
    package init(text: String) {
        guard let colon = text.firstIndex(of: ":"), let weight = Double(text[..<colon]), weight > 0,
            weight <= 1e9
        else {
            self.init(text)
            return
        }
        self.init(String(text[text.index(after: colon)...]), weight: weight)
    }
}

extension [Weighted<String>] {
    /// Returns a random choice. There must be at least one.
    package func draw(using random: inout SplitMix) -> String {
        var lot = Double.random(in: 0..<reduce(0) { $0 + $1.weight }, using: &random)
        for choice in dropLast() {
            lot -= choice.weight
            if lot < 0 { return choice.value }
        }
        return self[count - 1].value
    }
}
