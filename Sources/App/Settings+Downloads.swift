import Downloads

extension Settings {
    var downloads: DownloadSettings {
        var downloads = DownloadSettings()
        downloads.addresses = AddressPolicy(allowed: allowedAddresses)
        downloads.authoritiesFile = caFile
        return downloads
    }
}
