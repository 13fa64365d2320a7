package import Downloads
import HTTPClient
import Processing

extension Settings {
    package var downloads: DownloadSettings {
        var downloads = DownloadSettings()
        downloads.http.addresses = AddressPolicy(allowed: allowedAddresses)
        downloads.http.authoritiesFile = caFile
        downloads.access = access
        downloads.origins.tenants = reuse.sources.map { TenantRule(match: $0.match, segmentCount: $0.tenantSegments) }
        return downloads
    }
}
