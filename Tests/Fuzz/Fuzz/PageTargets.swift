// swift-format-ignore-file: NeverUseForceTry
import Base
import Foundation
import Media
import Payloads

@testable import Batch
@testable import LoadTest
@testable import Preview
@testable import Processing

/// The pages for people, made from data of senders, decoders and files.
enum PageTargets {
    private static let page = PreviewPage(
        .init(profiles: ["apns"], deadline: "25s", needsToken: false, hasWebhook: true)
    )
    private static let categories = [
        NotificationCategory(identifier: "c", actions: [], options: [.customDismissAction], layout: nil)
    ]

    /// Renders the preview of a payload whose attachments have numbers from the payload itself.
    static func preview(_ bytes: [UInt8]) {
        guard let notification = try? PayloadReader().read(bytes, identifier: "fuzz") else { return }
        let request = ProcessingRequest(notification: notification)
        var numbers = Numbers(bytes)
        let attachments = notification.attachments.map { attachment in
            var source = SourceFacts()
            source.format = MediaFormat.allCases[Int(numbers.next().magnitude % UInt(MediaFormat.allCases.count))]
            source.byteCount = numbers.next()
            source.fetched = numbers.next()
            source.report = SourceReport(
                width: numbers.next(),
                height: numbers.next(),
                durationMilliseconds: numbers.next()
            )
            var delivered = DeliveredAttachment(
                attachment.identifier,
                in: StoredFile(identifier: "a", url: attachment.url, sha256: "b"),
                RungReport(
                    rung: .downscaled,
                    format: source.format.flatMap(OutputFormat.init) ?? .gif,
                    byteCount: numbers.next(),
                    width: numbers.next(),
                    height: numbers.next(),
                    frames: numbers.next(),
                    durationMilliseconds: numbers.next(),
                ),
                from: attachment.url,
                source,
            )
            delivered.isClipped = numbers.next() % 2 == 0
            return delivered
        }
        let result = ProcessingResult(
            request: request,
            sourceHosts: [],
            identifier: notification.identifier,
            outcome: .degraded,
            payload: bytes,
            payloadValue: notification.payload,
            attachments: attachments,
            failures: [.init(attachment: nil, failure: AttachmentFailure(.decode, .timedOut, notification.identifier))],
            remarks: notification.explanation.remarks,
            stages: StageDurations(values: [.zero, .milliseconds(numbers.next() % 1_000_000), .zero, .longest, .zero]),
            total: .longest,
            deadline: SystemTime().now,
            margin: .zero,
        )
        precondition(page.fragment(ResultView(result, categories: categories)).contains("<"))
        precondition(try! JSONValue(parsing: result.json).isObject)
        _ = LayoutContent(ShownContent(notification.payload).json)
    }

    /// Turns a line of a batch's manifest into a row of the report that links to nothing outside the folder.
    static func manifest(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), value.isObject else { return }
        let line = ManifestLine(json: value)
        for path in [line.path, line.output] { precondition(path?.components.contains(Array("..".utf8)) != true) }
        precondition(!ReportPage.text(of: ReportRow(line, preview: [1])).isEmpty)
        var index = ManifestIndex()
        index.add(line, at: 0..<bytes.count)
    }

    /// Turns a load test's result into each of its reports.
    static func result(_ bytes: [UInt8]) {
        if let value = try? JSONValue(parsing: bytes) {
            let now = SystemTime().now
            let answer = LoadAnswer(result: value, sent: now, answered: now)
            precondition(
                answer.delivered >= 0 || answer.outcome == .complete || answer.outcome == .degraded
                    || answer.outcome == .original
            )
        }
        guard var result = try? LoadResult(json: Data(bytes)) else { return }
        result.changes = (try? RunComparison(of: result, with: result).changes) ?? []
        precondition(!result.text.isEmpty && !HTMLReport(result).html.isEmpty)
        precondition(!JUnitReport(result).xml.isEmpty)
        precondition(try! !result.json.isEmpty)
    }
}

/// Numbers of every size, made from bytes.
private struct Numbers {
    private var state: UInt64

    init(_ bytes: [UInt8]) {
        state = bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    mutating func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: state) >> Int(state >> 58)
    }
}
