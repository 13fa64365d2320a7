/// The settings of a run that its figures depend on, by the names of their options. Runs are compared only if they agree.
package struct RunSettings: Sendable, Codable, Equatable {
    package private(set) var values: [String: String] = [:]

    package init() {}

    package subscript(option: String) -> String? {
        get { values[option] }
        set { values[option] = newValue }
    }

    /// Records a setting by a digest: it is long, or may hold a secret, such as a URL with a signature.
    package mutating func record(digestOf texts: [String], as option: String) {
        // FNV-1a, whose value is the same in every process.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in texts.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        values[option] = Self.mark + String(hash, radix: 16)
    }

    package mutating func merge(_ other: RunSettings) { values.merge(other.values) { _, new in new } }

    /// Throws if an older run has other settings.
    package func checkEqual(to old: RunSettings) throws(LoadTestError) { try Self.check(differences(from: old)) }

    /// Throws if there are differences.
    static func check(_ differences: [String]) throws(LoadTestError) {
        guard !differences.isEmpty else { return }
        throw .failure(
            "The older result has other settings: \(differences.joined(separator: ", ")). Compare runs with the same "
                + "settings, or write a new result with --json."
        )
    }

    /// Returns the settings in which an older run differs, as text.
    private func differences(from old: RunSettings) -> [String] {
        Set(values.keys).union(old.values.keys).sorted().compactMap { option in
            let (before, after) = (old[option], self[option])
            guard before != after else { return nil }
            guard [before, after].allSatisfy({ $0?.hasPrefix(Self.mark) != true }) else { return option }
            return "\(option) (\(before ?? "none") then, \(after ?? "none") now)"
        }
    }

    private static let mark = "digest "

    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: String].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}
