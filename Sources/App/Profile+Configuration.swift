import Media

/// A profile as the configuration file has it: what isn't named there is as in the profile that it is based on.
extension Profile {
    static let keys = ["basedOn", "categories", "cropToClippingRectangle", "image", "animation"]
    private static let imageKeys = ["longEdge", "aspectRatio", "byteBudget", "byteLimit", "keepTransparency"]
    private static let animationKeys = ["longEdge", "byteBudget", "byteLimit"]

    init(named name: String, in table: ConfigurationTable) throws(SettingsError) {
        let base = try table.text("basedOn") ?? Profile.apns.name
        guard let profile = Profile.builtIn.first(where: { $0.name == base }) else {
            let known = Profile.builtIn.map(\.name).joined(separator: ", ")
            throw table.refusal(of: "basedOn", "one of \(known)")
        }
        self = profile
        self.name = name
        categories = try table.texts("categories")
        cropsToClippingRectangle = try table.flag("cropToClippingRectangle") ?? cropsToClippingRectangle
        if let rules = try table.table("image", keys: Self.imageKeys) { try image.change(by: rules) }
        if table.refuses("animation") {
            animation = nil
        } else if let rules = try table.table("animation", keys: Self.animationKeys) {
            var changed = animation ?? AnimationRules(longEdge: image.longEdge, image)
            try changed.change(by: rules)
            animation = changed
        }
    }
}

extension ImageRules {
    fileprivate mutating func change(by table: ConfigurationTable) throws(SettingsError) {
        longEdge = try table.longEdge() ?? longEdge
        (byteBudget, byteLimit) = try table.bytes(byteBudget, byteLimit)
        keepsTransparency = try table.flag("keepTransparency") ?? keepsTransparency
        if let text = try table.text("aspectRatio") {
            let sides = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard sides.count == 2, sides.allSatisfy((1...100).contains) else {
                throw table.refusal(of: "aspectRatio", "a shape such as \"2:1\"")
            }
            aspectRatio = AspectRatio(width: sides[0], height: sides[1])
        }
    }
}

extension AnimationRules {
    /// For a profile whose base has no animations: as large as its pictures.
    fileprivate init(longEdge: Int, _ image: ImageRules) {
        self.init(longEdge: longEdge, byteBudget: image.byteBudget, byteLimit: image.byteLimit)
    }

    fileprivate mutating func change(by table: ConfigurationTable) throws(SettingsError) {
        longEdge = try table.longEdge() ?? longEdge
        (byteBudget, byteLimit) = try table.bytes(byteBudget, byteLimit)
    }
}

extension ConfigurationTable {
    fileprivate func longEdge() throws(SettingsError) -> Int? { try number("longEdge", in: 64...20_000) }

    /// Budget and limit, of which the limit is not the smaller one. 50 MB is the largest file that a notification takes.
    fileprivate func bytes(_ oldBudget: Int, _ oldLimit: Int) throws(SettingsError) -> (budget: Int, limit: Int) {
        let limit = try number("byteLimit", in: 1_000...50_000_000) ?? oldLimit
        let budget = try number("byteBudget", in: 1_000...50_000_000) ?? min(oldBudget, limit)
        guard budget <= limit else { throw refusal(of: "byteBudget", "at most the byteLimit, \(limit)") }
        return (budget, limit)
    }
}
