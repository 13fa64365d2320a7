import Files
import HTTPClient
import Foundation
import Values

/// The things outside a rule of `sources` that it needs: the file's folder, the variables, and the credentials.
struct SourceContext {
    /// The folder of the configuration file. Paths in the file are relative to it.
    var folder: URL
    var environment: Secret<[String: String]>
    /// A Boolean value that indicates whether the group of a file with secrets may read it.
    var isGroupReadable: Bool
    /// The region of buckets whose rule names none.
    var region: String
    /// Returns the credentials for buckets.
    var credentials: () throws(SettingsError) -> CredentialsSource

    func path(_ name: String) -> String { AbsolutePath.of(name, in: folder.path) }
}
