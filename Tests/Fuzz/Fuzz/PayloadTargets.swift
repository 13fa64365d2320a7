// swift-format-ignore-file: NeverUseForceTry
import Media
import Processing

@testable import Payloads

enum PayloadTargets {
    /// What is JSON stays the same JSON when it is written and read again.
    static func json(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes) else { return }
        precondition(try! JSONValue(parsing: value.compactBytes) == value)
    }

    /// A payload that is read can be written with any of its attachments, and is never more than its limit.
    static func payload(_ bytes: [UInt8]) {
        guard let request = try? PayloadReader().read(bytes, identifier: "fuzz") else { return }
        precondition(request.attachments.count <= PayloadReader.attachmentLimit)
        let ready = NotificationAttachment(
            identifier: "a",
            url: "https://cdn.example/attachments/a.jpg?signature=b",
            shortURL: "https://cdn.example/a",
            type: "public.jpeg",
            byteCount: 4711,
        )
        let all = Dictionary(uniqueKeysWithValues: request.attachments.indices.map { ($0, ready) })
        for attachments in [all, [0: ready], [:]] {
            let written = PayloadWriter().write(request, attachments: attachments)
            guard written.fit != .original else {
                precondition(written.bytes == request.original)
                continue
            }
            precondition(request.measure.byteCount(of: written.payload) <= request.pushType.byteLimit)
            precondition(try! JSONValue(parsing: written.bytes) == written.payload)
        }
    }

    /// What an envelope asks for is within bounds that arithmetic with the clock and with media has room for.
    static func envelope(_ bytes: [UInt8]) {
        guard let envelope = try? NotificationEnvelope(bytes, isJob: true) else { return }
        let options = envelope.options
        let longest = Duration.longest
        for duration in [options.timeLimit, options.clip.start, options.clip.duration] {
            precondition(duration.map { $0 >= .zero && $0 <= longest } ?? true)
        }
        _ = try? PayloadReader().read(envelope.payload, identifier: "fuzz", dialect: options.dialect)
    }

    static func pointer(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let pointer = try? JSONPointer(text) else { return }
        precondition(try! JSONPointer(pointer.description) == pointer)
    }
}
