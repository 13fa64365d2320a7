extension Dialect {
    /// Every dialect that is built in. Dialects of payloads are ordered from the most specific key: a vendor's own
    /// name, then names that others might use too, then the default.
    package static let builtIn: [Dialect] = requests + payloads

    private static let requests: [Dialect] = [
        fcmMessage, amazonSNS, gorush, expoRequest, expoRequestList, oneSignalRequest, airshipRequest, emarsysRequest,
        fcmLegacy, fcmBareMessage, nodePushNotifications, homeAssistantRequest, ntfyRequest, localContent, apprise,
        webPush,
    ]

    private static let payloads: [Dialect] = [
        wonderPush, airship, accengage, oneSignal, braze, batch, moEngage, webEngage, motiSig, iterable, customerIO,
        cleverTap, leanplum,
        salesforce, adobe, adobeCampaign, acoustic, klaviyo, pinpoint, mindbox, expo, homeAssistant, ntfy, firebase,
        pushwoosh, emarsys, sailthru, myAttachment,
    ]
}
