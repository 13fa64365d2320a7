// MARK: - The payload

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
                "The notification shows no alert, so the phone runs no service extension. It never does for silent pushes, sounds and badges.",
                advice: "Give the alert a title or body.",
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
                "A string has half a surrogate pair, such as \\ud83d. JSON readers replace it or refuse the payload.",
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
        let (count, limit) = (subject.byteCount, subject.request.pushType.byteLimit)
        guard count > limit else { return [] }
        let isWebPush = subject.request.measures.contains { $0.measure.overhead > 0 }
        return [
            LintFinding(
                .payloadTooLarge,
                .error,
                "The payload has \(count) bytes; the push service refuses more than \(limit).",
                advice: "Shorten texts, or let the app load the rest from a URL.",
                source: isWebPush ? LintSource.webPushSize : LintSource.payloadSize,
            )
        ]
    }
}

// MARK: - The presentation

extension LintRule {
    /// The rules for the way in which attachments are shown.
    static let presentationRules = [
        categoryHidesThumbnail, severalAttachments, tooManyAttachments, optionInvalid, thumbnailHidden,
    ]

    private static let categoryHidesThumbnail = LintRule(.categoryHidesThumbnail, isAboutOutgoing: false) { subject in
        var seen: Set<String> = []
        return subject.forApple.compactMap { attachment in
            guard let category = attachment.request.category, let hidesText = subject.extensionCategories[category],
                seen.insert(category).inserted
            else { return nil }
            let text = hidesText ? " It also hides the system's title and text when the notification is expanded." : ""
            return LintFinding(
                .categoryHidesThumbnail,
                .warning,
                at: attachment.pointer,
                "A content extension shows the category \(category), so the banner has no thumbnail.\(text)",
                advice: "Send pictures that need a thumbnail under another category, or under none.",
                source: LintSource.hiddenThumbnail,
            )
        }
    }

    private static let severalAttachments = LintRule(.severalAttachments, isAboutOutgoing: false) { subject in
        let shown = subject.forApple
        guard shown.count > 1, !shown.contains(where: { subject.extensionCategories[$0.request.category ?? ""] != nil })
        else { return [] }
        return [
            LintFinding(
                .severalAttachments,
                .note,
                at: shown[1].pointer,
                "There are \(shown.count) attachments. The system shows the first; the others need a content extension.",
                advice: "Put the most important one first, or give the category a content extension.",
                source: LintSource.firstAttachment,
            )
        ]
    }

    private static let tooManyAttachments = LintRule(.tooManyAttachments) { subject in
        subject.request.ownRemarks.map { text in
            LintFinding(.tooManyAttachments, .warning, text, advice: "", source: LintSource.dialects)
        }
    }

    private static let optionInvalid = LintRule(.optionInvalid) { subject in
        subject.request.attachments.flatMap { attachment in
            attachment.remarks.map { text in
                LintFinding(
                    .optionInvalid,
                    .warning,
                    at: attachment.pointers.url,
                    text,
                    advice: "",
                    source: LintSource.attachment
                )
            }
        }
    }

    private static let thumbnailHidden = LintRule(.thumbnailHidden, isAboutOutgoing: false) { subject in
        let shown = subject.forApple
        guard let first = shown.first, shown.allSatisfy(\.request.options.isThumbnailHidden) else { return [] }
        return [
            LintFinding(
                .thumbnailHidden,
                .note,
                at: first.pointer,
                "Every attachment hides its thumbnail, so the banner has none.",
                advice: "Omit the option for one of them.",
                source: LintSource.attachment,
            )
        ]
    }
}
