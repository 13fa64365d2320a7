import App
import ArgumentParser

/// The options of the preview and of responses to notifications.
struct PreviewOptions: ParsableArguments {
    @Flag(help: "Turn the preview at /preview off.")
    var noPreview = false
    @Option(
        help: "Post users' responses to notifications to this URL, which provides the answers of POST /v1/responses."
    )
    var responseWebhook: String?

    /// The options for `CommonOptions.settings`.
    var options: [SettingsKey: SettingsSource.Option] {
        var options: [SettingsKey: SettingsSource.Option] = [:]
        if noPreview { options[.preview] = .flag(false) }
        options[.responseWebhook] = responseWebhook.map { .text($0) }
        return options
    }
}
