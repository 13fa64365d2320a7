import Foundation
import Media
import Testing

@Suite("The tables of rungs and of output formats")
struct RungTableTests {
    @Test("a last rung has the highest rank, and all others keep their order")
    func ranks() {
        #expect(Rung.allCases.filter(\.isLast) == [.remuxed, .downscaled, .animation, .transcoded])
        #expect(Rung.allCases.filter(\.isLast).allSatisfy { $0.rank == Rung.allCases.count })
        let others = Rung.allCases.filter { !$0.isLast }
        #expect(others.map(\.rank) == others.map(\.position) && others.map(\.rank).sorted() == others.map(\.rank))
    }

    @Test("where time is short the full rungs are left out, and where there is plenty the reduced ones")
    func costs() {
        #expect(Rung.full == [.downscaled, .animation, .transcoded])
        #expect(Rung.reduced == [.fast])
    }

    @Test("every rung belongs to a ladder, and a decoder process takes as many outputs as the longest has rungs")
    func ladders() {
        #expect(Set(Rung.ladders.joined()) == Set(Rung.allCases))
        // It takes eight descriptors, of which two are the source and the small JPEG for pages.
        #expect(Rung.ladders.allSatisfy { $0.count + 2 <= 8 })
    }

    @Test("what must be made at once, and what an iPhone may get, has no format that is not for that")
    func limitedFormats() {
        var rules = Profile.apns.image
        rules.formats = OutputFormat.allCases.filter(\.properties.isListed).reversed()
        #expect(rules.formats.last == .fallback && rules.formats.count > 1)
        #expect(rules.inHurry.formats == rules.formats.filter(\.properties.isQuick))
        #expect(rules.forIPhones.formats == rules.formats.filter(\.properties.isShownByIPhones))
        for rules in [rules.inHurry, rules.forIPhones] { #expect(rules.formats.last == .fallback) }
        #expect(!rules.inHurry.formats.contains(.webp) && !rules.forIPhones.formats.contains(.webp))
        #expect(OutputFormat.optional.allSatisfy(rules.allows) && !OutputFormat.optional.contains(.fallback))
        rules.formats = [.fallback]
        for format in OutputFormat.allCases { #expect(rules.allows(format) == !OutputFormat.optional.contains(format)) }
    }

    @Test("a rung has an output of at least one kind, and every kind has a last rung")
    func outputs() {
        for kind in [MediaFormat.Kind.image, .video, .audio] {
            #expect(Rung.allCases.contains { $0.isLast && $0.isPossible(as: kind) })
            #expect(OutputFormat.allCases.contains { $0.kind == kind })
        }
    }

    @Test("an output format is the format of a source, too, and is found by it")
    func formats() {
        for format in OutputFormat.allCases { #expect(OutputFormat(format.media) == format) }
        #expect(Set(OutputFormat.allCases.map(\.media)).count == OutputFormat.allCases.count)
    }

    @Test("the OpenAPI description lists every rung")
    func description() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let data = try Data(contentsOf: root.appending(path: "Sources/Faces/Sidecar/openapi.json"))
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: Any]
        let properties = (schemas?["Attachment"] as? [String: Any])?["properties"] as? [String: Any]
        let listed = (properties?["rung"] as? [String: Any])?["enum"] as? [String]
        #expect(listed == Rung.allCases.map(\.rawValue))
    }
}
