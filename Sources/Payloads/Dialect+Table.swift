extension Dialect {
    /// Every dialect that is built in, the most specific first.
    package static let builtIn: [Dialect] = [
        myAttachment
    ]
}
