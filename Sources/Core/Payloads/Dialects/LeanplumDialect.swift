extension Dialect {
    package static let leanplum = Dialect(
        name: "leanplum",
        title: "Leanplum",
        source: "service extensions of Leanplum's customers; the SDK itself has none",
        paths: [AttachmentPath(url: "/LP_URL")],
    )
}
