import Media
import Settings
import Testing

@Suite("The rules of profiles")
struct ProfileRulesTests {
    // The fingerprint by which a batch knows its results is made of the listed rules.
    @Test("every rule of a profile is listed by its name, so that a batch notices when it changes")
    func listed() throws {
        let profile = Profile.apns
        let names = profile.rules.map(\.name)
        let groups: [(name: String, rules: Mirror)] = [
            ("image.", Mirror(reflecting: profile.image)),
            ("animation.", Mirror(reflecting: try #require(profile.animation))),
            ("video.", Mirror(reflecting: try #require(profile.video))),
            ("audio.", Mirror(reflecting: try #require(profile.audio))),
        ]
        for group in groups {
            // A picture's formats stand for the whole profile.
            let listed = names.filter { $0.hasPrefix(group.name) || group.name == "image." && $0 == "formats" }
            let rules = group.rules.children.map { $0.label ?? "" }
            #expect(listed.count == rules.count, "\(rules) are listed in DialectListing.swift as \(listed)")
        }
        #expect(Set(names).count == names.count)
    }
}
