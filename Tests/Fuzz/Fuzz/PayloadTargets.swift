// swift-format-ignore-file: NeverUseForceTry
import Base
import Media
import Processing

@testable import Payloads

enum PayloadTargets {
    /// Checks that JSON stays the same when it is written and read again.
    static func json(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes) else { return }
        precondition(try! JSONValue(parsing: value.compactBytes) == value)
    }

    /// Checks that a payload can be written with any of its attachments, and never exceeds its limit.
    static func payload(_ bytes: [UInt8]) {
        guard let request = try? PayloadReader().read(bytes, identifier: "fuzz") else { return }
        precondition(request.attachments.count <= PayloadReader.attachmentLimit)
        let ready = DeliveredAttachment(
            "a",
            in: StoredFile(
                identifier: "a",
                url: "https://cdn.example/attachments/a.jpg?signature=b",
                shortURL: "https://cdn.example/a",
            ),
            RungReport(rung: .downscaled, format: .jpeg, byteCount: 4711),
            from: "https://origin.example/a",
            SourceFacts(),
        )
        let all = Dictionary(uniqueKeysWithValues: request.attachments.indices.map { ($0, ready) })
        for attachments in [all, [0: ready], [:]] {
            let written = PayloadWriter().write(request, attachments: attachments)
            guard written.fit != .original else {
                precondition(written.bytes == request.original)
                continue
            }
            precondition(request.byteCount(of: written.payload) <= request.pushType.byteLimit)
            precondition(try! JSONValue(parsing: written.bytes) == written.payload)
        }
    }

    /// Checks that an envelope's values leave room for arithmetic with the clock and with media.
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
