/// Every setting, by its key in the configuration file. A variable's name is `ATTACHD_` and the key in capitals, with `_`
/// between its words.
package enum SettingsKey: String, Sendable, CaseIterable {
    case profile, deadline, store, listen, apiTokenFile, allowAddresses, decoders, requireSandbox, requests, caFile
    case queue, backlog, strict
    case publicURL = "publicUrl"
    case signingKeyFile, groupReadableKeys, keep, quota, reuse
    case publish, publishEndpoint, publishRegion, publishStyle, publishCredentialsFile
    case preview, responseWebhook
    case logLevel, logFormat
}
