/// The keys of all settings in the configuration file. The environment variable of a key is `ATTACHD_` and the key in
/// capitals, with `_` between its words.
package enum SettingsKey: String, Sendable, CaseIterable {
    case profile, deadline, store, listen, apiTokenFile, allowAddresses, decoders, requireSandbox, requests, caFile
    case queue, backlog, strict
    case publicURL = "publicUrl"
    case signingKeyFile, groupReadableKeys, keep, quota, reuse
    case publish, publishEndpoint, publishRegion, publishStyle, publishCredentialsFile
    case preview, responseWebhook
    case logLevel, logFormat
}
