extension Dialect {
    /// MotiSig's own keys, also as Expo's relay wraps them. Its extension reads the keys of Expo and Firebase after these.
    package static let motiSig = Dialect(
        name: "motisig",
        title: "MotiSig",
        source: "MotiSig-Public/ios-motisig-sdk@b4350b5, Sources/MotiSig/Push/MotiSigRichPushHandler.swift; "
            + "MotiSig-Public/expo-motisig-sdk@1844488, native/ios/NotificationService/NotificationService.m",
        paths: ["", "/body"].flatMap { root in
            ["imageUrl", "image_url", "image"].map { key in AttachmentPath(url: "\(root)/_motisig/\(key)") }
        },
    )
}
