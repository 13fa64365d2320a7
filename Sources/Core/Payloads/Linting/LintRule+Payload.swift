extension LintRule {
    /// The rules for the payload as a whole.
    static let payloadRules = [
        mutableContentMissing, alertMissing, notUnicode, keyMisspelled, textNotObject, attachmentMissing,
        payloadTooLarge,
    ]

    private static let mutableContentMissing = LintRule(.mutableContentMissing) { subject in
        guard !subject.isLiveActivity else { return [] }
        return subject.request.held.filter { $0.gate == .notMutable }.map { held in
            LintFinding(
                .mutableContentMissing,
                .error,
                at: held.attachment.pointers.url,
                "The notification is not marked as mutable, so the phone runs no service extension and downloads nothing.",
                advice: "Set mutable-content of aps to 1 (mutable_content where the service names it so).",
                source: LintSource.serviceExtension,
            )
        }
    }

    private static let alertMissing = LintRule(.alertMissing) { subject in
        guard !subject.isLiveActivity else { return [] }
        return subject.request.held.filter { $0.gate == .noAlert }.map { held in
            LintFinding(
                .alertMissing,
                .error,
                at: held.attachment.pointers.url,
                "No alert shows, so the phone runs no service extension: never for silent pushes, sounds and badges.",
                advice: "Give the alert a title or body. A picture needs a notification that shows.",
                source: LintSource.modifyingContent,
            )
        }
    }

    private static let notUnicode = LintRule(.notUnicode) { subject in
        guard subject.request.gate == .notUnicode else { return [] }
        return [
            LintFinding(
                .notUnicode,
                .error,
                "A string has half a surrogate pair, such as \\ud83d. Readers of JSON replace it or refuse the payload.",
                advice: "Cut texts between characters, not between UTF-16 units.",
                source: LintSource.unicode,
            )
        ]
    }

    private static let attachmentMissing = LintRule(.attachmentMissing, isAboutOutgoing: false) { subject in
        let request = subject.request
        guard request.attachments.isEmpty, request.held.isEmpty, request.gate != .notUnicode, !subject.isLiveActivity
        else { return [] }
        return [
            LintFinding(
                .attachmentMissing,
                .warning,
                "No dialect finds the URL of an attachment.",
                advice: "attachd dialects --detect FILE tells what each dialect misses. Name your own key in the "
                    + "configuration under dialects.",
                source: LintSource.dialects,
            )
        ]
    }

    private static let payloadTooLarge = LintRule(.payloadTooLarge) { subject in
        let (count, limit) = (subject.request.byteCount(of: subject.payload), subject.request.pushType.byteLimit)
        guard count > limit else { return [] }
        let isWebPush = subject.request.measures.contains { $0.measure.overhead > 0 }
        return [
            LintFinding(
                .payloadTooLarge,
                .error,
                "The payload has \(count) bytes; the push service refuses more than \(limit).",
                advice: "Shorten texts, or let the app load the rest by a URL.",
                source: isWebPush ? LintSource.webPushSize : LintSource.payloadSize,
            )
        ]
    }
}
