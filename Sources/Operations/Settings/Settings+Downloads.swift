package import Downloads
import Processing

extension Settings {
    package var downloads: DownloadSettings {
        var downloads = DownloadSettings()
        downloads.addresses = AddressPolicy(allowed: allowedAddresses)
        downloads.authoritiesFile = caFile
        downloads.access = access
        downloads.origins.tenants = reuse.sources.map { TenantRule(match: $0.match, segmentCount: $0.tenantSegments) }
        return downloads
    }
}
