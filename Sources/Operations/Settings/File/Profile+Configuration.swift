import Base
package import Media
import Payloads

/// The profile's form in the configuration file. Rules that the file leaves out are those of the profile that it is
/// based on.
extension Profile {
    static let keys = [
        "basedOn", "categories", "cropToClippingRectangle", "formats", "inline", "inlinePointer", "image", "animation",
        "video",
        "audio",
    ]
    private static let imageKeys = ["longEdge", "aspectRatio", "byteBudget", "byteLimit", "keepTransparency"]
    private static let animationKeys = ["longEdge", "byteBudget", "byteLimit"]
    private static let videoKeys = ["duration", "shortest", "longEdge", "byteBudget", "byteLimit"]
    private static let audioKeys = ["duration", "byteBudget", "byteLimit"]

    init(named name: String, in table: ConfigurationTable) throws(SettingsError) {
        // A profile with the name of a built-in one changes that.
        let known = Profile.builtIn.first { $0.name == name } ?? .apns
        let base = try table.text("basedOn") ?? known.name
        guard let profile = Profile.builtIn.first(where: { $0.name == base }) else {
            let known = Profile.builtIn.map(\.name).joined(separator: ", ")
            throw table.refusal(of: "basedOn", "one of \(known)")
        }
        self = profile
        self.name = name
        categories = try table.texts("categories")
        cropsToClippingRectangle = try table.flag("cropToClippingRectangle") ?? cropsToClippingRectangle
        image.formats = try table.formats() ?? image.formats
        // YAML reads `off` as a Boolean value.
        if table.refuses("inline") {
            image.inline = .off
        } else if let text = try table.text("inline") {
            guard let rule = InlineRule(rawValue: text) else { throw table.refusal(of: "inline", "off, hash or auto") }
            image.inline = rule
        }
        if let pointer = try table.text("inlinePointer") {
            guard (try? JSONPattern(pointer)) != nil, pointer.hasPrefix("/") else {
                throw table.refusal(of: "inlinePointer", "a JSON pointer such as /aps/content-state/picture")
            }
            guard image.inline != .off else { throw table.refusal(of: "inline", "hash or auto beside inlinePointer") }
            inlinePointer = pointer
        }
        if let rules = try table.table("image", keys: Self.imageKeys) { try image.change(by: rules) }
        let apns = Profile.apns
        animation = try table.changed(
            animation ?? apns.animation,
            "animation",
            keys: Self.animationKeys,
            else: animation
        )
        video = try table.changed(video ?? apns.video, "video", keys: Self.videoKeys, else: video)
        audio = try table.changed(audio ?? apns.audio, "audio", keys: Self.audioKeys, else: audio)
    }
}

/// A group of rules that a profile can turn off.
private protocol ConfigurableRules {
    mutating func change(by table: ConfigurationTable) throws(SettingsError)
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

extension AnimationRules: ConfigurableRules {
    fileprivate mutating func change(by table: ConfigurationTable) throws(SettingsError) {
        longEdge = try table.longEdge() ?? longEdge
        (byteBudget, byteLimit) = try table.bytes(byteBudget, byteLimit)
    }
}

extension VideoRules: ConfigurableRules {
    fileprivate mutating func change(by table: ConfigurationTable) throws(SettingsError) {
        duration = try table.clipDuration("duration") ?? duration
        shortest = table.refuses("shortest") ? nil : try table.clipDuration("shortest") ?? shortest
        longEdge = try table.longEdge() ?? longEdge
        (byteBudget, byteLimit) = try table.bytes(byteBudget, byteLimit)
    }
}

extension AudioRules: ConfigurableRules {
    fileprivate mutating func change(by table: ConfigurationTable) throws(SettingsError) {
        duration = try table.clipDuration("duration") ?? duration
        (byteBudget, byteLimit) = try table.bytes(byteBudget, byteLimit)
    }
}

extension ConfigurationTable {
    /// Returns `rules` with the changes of the table `key`, `nil` if the key is `false`, and `other` if it is missing.
    fileprivate func changed<Rules: ConfigurableRules>(
        _ rules: Rules?,
        _ key: String,
        keys: [String],
        else other: Rules?,
    ) throws(SettingsError) -> Rules? {
        guard !refuses(key) else { return nil }
        guard let table = try table(key, keys: keys), var rules else { return other }
        try rules.change(by: table)
        return rules
    }

    /// Returns the formats of pictures: those that a profile can list, each once, and the fallback behind them.
    fileprivate func formats() throws(SettingsError) -> [OutputFormat]? {
        let names = try texts("formats")
        guard !names.isEmpty else { return nil }
        let fallback = OutputFormat.fallback
        let formats = names.compactMap(OutputFormat.init(rawValue:)).filter(\.properties.isListed)
        guard formats.count == names.count, Set(formats).count == names.count, formats.last == fallback else {
            let lists = OutputFormat.optional.map { "[\($0.rawValue), \(fallback.rawValue)]" }
            throw refusal(of: "formats", (["[\(fallback.rawValue)]"] + lists).joined(separator: " or "))
        }
        return formats
    }

    /// Returns the duration: at most five minutes, the longest deadline.
    fileprivate func clipDuration(_ key: String) throws(SettingsError) -> Duration? {
        guard let text = try text(key) else { return nil }
        guard let duration = DurationText.parse(text), duration > .zero, duration <= .seconds(300) else {
            throw refusal(of: key, "a duration up to 300s, such as 10s")
        }
        return duration
    }

    fileprivate func longEdge() throws(SettingsError) -> Int? { try number("longEdge", in: 64...20_000) }

    /// Returns the byte budget and the byte limit. The limit is at least the budget, and at most 50 MB: the largest
    /// file that a notification takes.
    fileprivate func bytes(_ oldBudget: Int, _ oldLimit: Int) throws(SettingsError) -> (budget: Int, limit: Int) {
        let limit = try number("byteLimit", in: 1_000...50_000_000) ?? oldLimit
        let budget = try number("byteBudget", in: 1_000...50_000_000) ?? min(oldBudget, limit)
        guard budget <= limit else { throw refusal(of: "byteBudget", "at most the byteLimit, \(limit)") }
        return (budget, limit)
    }
}

// MARK: - Listing

extension Profile {
    /// The profile's rules, named as in the configuration file.
    package var rules: [(name: String, value: String)] {
        var rules = [
            ("formats", image.formats.map(\.rawValue).joined(separator: ", ")),
            ("inline", image.inline.rawValue),
            ("inlinePointer", inlinePointer ?? "-"),
            ("image.longEdge", "\(image.longEdge)"),
            ("image.aspectRatio", image.aspectRatio.map { "\($0.width):\($0.height)" } ?? "-"),
            ("image.byteBudget", "\(image.byteBudget)"),
            ("image.byteLimit", "\(image.byteLimit)"),
            ("image.keepTransparency", "\(image.keepsTransparency)"),
        ]
        rules += Self.rules("animation", nil, animation?.longEdge, animation?.byteBudget, animation?.byteLimit)
        rules += Self.rules("video", video?.duration, video?.longEdge, video?.byteBudget, video?.byteLimit)
        if let video { rules.append(("video.shortest", video.shortest.map(Self.text) ?? "false")) }
        rules += Self.rules("audio", audio?.duration, nil, audio?.byteBudget, audio?.byteLimit)
        rules.append(("cropToClippingRectangle", "\(cropsToClippingRectangle)"))
        rules.append(("categories", categories.isEmpty ? "-" : categories.joined(separator: ", ")))
        return rules
    }

    private static func text(_ duration: Duration) -> String { "\(Double(duration.milliseconds) / 1000)s" }

    /// Returns the names and values of a group of rules that a profile can turn off.
    private static func rules(
        _ kind: String,
        _ duration: Duration?,
        _ longEdge: Int?,
        _ byteBudget: Int?,
        _ byteLimit: Int?,
    ) -> [(name: String, value: String)] {
        let values = [
            ("duration", duration.map(text)), ("longEdge", longEdge.map { "\($0)" }),
            ("byteBudget", byteBudget.map { "\($0)" }), ("byteLimit", byteLimit.map { "\($0)" }),
        ]
        let rules = values.compactMap { name, value in value.map { ("\(kind).\(name)", $0) } }
        return rules.isEmpty ? [(kind, "false")] : rules
    }
}
