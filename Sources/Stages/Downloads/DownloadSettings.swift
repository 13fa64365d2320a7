package import HTTPClient

/// The settings of all downloads. They are read once.
package struct DownloadSettings: Sendable {
    /// The settings of each request.
    package var http = HTTPSettings()
    package var ranges = RangeRule()
    /// The limits that protect origins.
    package var origins = OriginRule()
    /// The most redirects of one download.
    package var redirectLimit = 5
    /// The rules about sources that need access, and about those that come before them.
    package var access = AccessTable()

    package init() {}
}
