package import Media

extension MediaFormat {
    init?(mimeType: String) {
        let aliases = ["image/jpg": Self.jpeg, "audio/mp3": .mp3, "audio/x-wav": .wav, "audio/x-m4a": .m4a]
        let type = mimeType.lowercased()
        guard let format = aliases[type] ?? Self.allCases.first(where: { $0.mimeType == type }) else { return nil }
        self = format
    }

    package init?(typeIdentifier: String) {
        guard let format = Self.allCases.first(where: { $0.typeIdentifier == typeIdentifier }) else { return nil }
        self = format
    }
}
