extension Dialect {
    /// Every dialect that is built in. Dialects of payloads are ordered from the most specific key: a vendor's own
    /// name, then names that others might use too, then the default.
    package static let builtIn: [Dialect] = requests + payloads

    private static let requests: [Dialect] = [fcmMessage, gorush, expoRequest, localContent]

    private static let payloads: [Dialect] = [
        wonderPush, airship, accengage, oneSignal, braze, batch, iterable, customerIO, cleverTap, leanplum, salesforce,
        adobe, klaviyo, pinpoint, expo, homeAssistant, ntfy, firebase, pushwoosh, emarsys, myAttachment,
    ]
}
