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
                advice: "Leave the option out for one of them.",
                source: LintSource.attachment,
            )
        ]
    }
}
