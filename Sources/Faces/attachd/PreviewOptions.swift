import App
import ArgumentParser

/// The options of what people see and do with notifications.
struct PreviewOptions: ParsableArguments {
    @Flag(help: "Leave the preview at /preview out.")
    var noPreview = false
    @Option(help: "Tell this URL what people do with notifications: the answers to POST /v1/responses come from it.")
    var responseWebhook: String?

    /// As options for `CommonOptions.settings`.
    var options: [SettingsKey: SettingsSource.Option] {
        var options: [SettingsKey: SettingsSource.Option] = [:]
        if noPreview { options[.preview] = .flag(false) }
        options[.responseWebhook] = responseWebhook.map { .text($0) }
        return options
    }
}
