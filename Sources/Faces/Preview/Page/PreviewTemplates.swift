import Mustache
import Templates

/// The page's templates, embedded in the program.
struct PreviewTemplates: Sendable {
    private let library: MustacheLibrary

    init() {
        let sources = [
            "page": PackageResources.page_mustache, "login": PackageResources.login_mustache,
            "result": PackageResources.result_mustache, "card": PackageResources.card_mustache,
            "words": PackageResources.words_mustache, "player": PackageResources.player_mustache,
            "expanded": PackageResources.expanded_mustache, "report": PackageResources.report_mustache,
        ]
        library = MustacheLibrary(
            templates: sources.mapValues { bytes in
                do {
                    return try HTMLText.template(String(decoding: bytes, as: UTF8.self))
                } catch {
                    preconditionFailure("a template of the preview is malformed: \(error)")
                }
            }
        )
    }

    func render(_ object: Any, _ name: String) -> String { library.render(object, withTemplate: name) ?? "" }
}
