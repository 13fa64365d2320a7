extension Settings {
    /// The kind of links in the sidecar's payloads, in words for the check of an installation.
    package var links: String {
        if let linkWarning { return linkWarning }
        return publishing == nil ? "payloads get links below \(publicURL ?? "")" : "payloads get the bucket's URLs"
    }

    /// The reason why phones show none of the sidecar's files; `nil` if they can fetch them.
    package var linkWarning: String? {
        guard publicURL == nil else { return nil }
        let advice = "Give phones a way to the files with --public-url or --publish."
        return hasFileURLs
            ? "Payloads get file: URLs, which no phone can fetch. Publish the files before you send them on, or: \(advice)"
            : "Payloads keep the sender's URLs; only results name the ready files. \(advice)"
    }
}
