import Media
import Payloads
package import Processing

/// The data of one processed notification for `result.mustache`.
package struct ResultView {
    let identifier: String
    let outcome: String
    let outcomeText: String
    let content: ContentView
    /// A Boolean value that indicates whether Apple devices show the message, too.
    let isForApple: Bool
    let platforms: [PlatformView]
    /// The attachment that the system shows at full size.
    let main: AttachmentView?
    let furtherAttachments: [AttachmentView]
    let hasMore: Bool
    /// The attachment of the thumbnail. A category with a content extension has no thumbnail, as observed on devices.
    let thumbnailed: AttachmentView?
    /// All attachments, including those for other platforms.
    let attachments: [AttachmentView]
    let hasAttachments: Bool
    /// The notes about the thumbnail.
    let notes: [String]
    let failures: [FailureView]
    let remarks: [String]
    let explanation: [String]
    let timings: TimingsView
    let payloads: [PayloadView]
    let category: String?
    let actions: [ActionView]
    let layout: LayoutView?
    let showsDefaultContent: Bool
    /// A Boolean value that indicates whether the app is notified of a dismissal.
    let tellsOfDismissal: Bool
    /// The data for the page's scripts, as JSON.
    let data: String

    package init(_ result: ProcessingResult, categories: [NotificationCategory]) {
        let before = result.request.notification.payload
        let content = ShownContent(result.payloadValue)
        identifier = result.identifier
        outcome = result.outcome.rawValue
        self.content = ContentView(content, before: ShownContent(before))
        let all = result.attachments.map { AttachmentView($0, of: result) }
        let shown = all.filter { !$0.isForOthers }
        platforms = PlatformView.all(result, all)
        isForApple = platforms.isEmpty || !shown.isEmpty || content.hasText
        attachments = all
        hasAttachments = !all.isEmpty
        main = shown.first
        furtherAttachments = Array(shown.dropFirst())
        hasMore = shown.count > 1
        failures = result.failures.map(FailureView.init)
        outcomeText = result.outcome.text(isTouched: !result.request.notification.attachments.isEmpty)
        remarks = result.remarks
        explanation = result.explanation.split(separator: "\n").map(String.init)
        timings = TimingsView(result)
        payloads = PayloadView.pair(result.request.notification, result.payloadValue)

        let category = categories.first { $0.identifier == content.categoryIdentifier }
        self.category = category?.identifier
        actions = category?.actions.map(ActionView.init) ?? []
        layout = category?.layoutView
        showsDefaultContent = layout?.hidesDefaultContent != true
        thumbnailed = layout == nil ? shown.first { $0.thumbnail.isShown } : nil
        notes =
            shown.flatMap { file in file.thumbnail.notes.map { "\(file.identifier): \($0)" } }
            + (layout == nil || shown.isEmpty ? [] : ["the category's content extension takes the thumbnail's place"])
        tellsOfDismissal = category?.options.contains(.customDismissAction) ?? false
        data = Self.data(result, content, shown)
    }

    private static func data(
        _ result: ProcessingResult,
        _ content: ShownContent,
        _ attachments: [AttachmentView],
    ) -> String {
        let files = attachments.map { attachment in
            JSONValue.object([
                .init("identifier", .string(attachment.identifier)), .init("name", .string(attachment.name)),
                .init("type", .string(attachment.type)),
                .init("width", attachment.width.map { .integer($0) } ?? .null),
                .init("height", attachment.height.map { .integer($0) } ?? .null),
            ])
        }
        return JSONValue.object([
            .init("identifier", .string(result.identifier)), .init("payload", result.payloadValue),
            .init("content", content.json), .init("attachments", .array(files)),
        ])
        .compactText
    }
}

extension ProcessingResult.Outcome {
    fileprivate func text(isTouched: Bool) -> String {
        switch self {
        case .complete: "Every attachment has the best result possible."
        case .degraded: "Something was left out, or comes from an earlier rung."
        case .original:
            isTouched ? "No attachment: the payload is unchanged." : "Nothing to do: the payload is unchanged."
        }
    }
}

extension NotificationCategory {
    fileprivate var layoutView: LayoutView? {
        guard layout != nil else { return nil }
        let attributes = contentExtension ?? ContentExtension(categories: [identifier])
        return LayoutView(
            category: identifier,
            ratio: attributes.initialContentSizeRatio,
            isInteractive: attributes.isUserInteractionEnabled,
            overridesTitle: attributes.overridesDefaultTitle,
            hidesDefaultContent: attributes.isDefaultContentHidden,
        )
    }
}

// MARK: - Failures

/// A failure as text.
struct FailureView {
    /// The reason, as in results and metrics.
    var name: String
    /// The error that an app would have for the attachment, which is the same for several reasons.
    var code: String?
    /// The attachment that failed, or `nil` for the payload itself.
    var attachment: String?
    var message: String

    init(_ failure: ProcessingResult.Failure) {
        name = failure.failure.reason.rawValue
        code = failure.failure.code.map { "\($0.name) (\($0.rawValue))" }
        attachment = failure.attachment
        message = failure.failure.message
    }
}
