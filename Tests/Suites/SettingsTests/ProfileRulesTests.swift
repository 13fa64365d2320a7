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
            // A picture's formats and its tiny version stand for the whole profile.
            let others = group.name == "image." ? ["formats", "inline"] : []
            let listed = names.filter { $0.hasPrefix(group.name) || others.contains($0) }
            let rules = group.rules.children.map { $0.label ?? "" }
            #expect(listed.count == rules.count, "\(rules) are listed in Profile+Configuration.swift as \(listed)")
        }
        #expect(Set(names).count == names.count)
    }
}
