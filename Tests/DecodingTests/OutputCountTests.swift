import Media
import Testing

@testable import Decoding

@Suite("The places for a job's outputs")
struct OutputCountTests {
    /// The longest sequences of rungs that one source can have, from a camera's photo to a long sound.
    private static let chains: [[Rung]] = [
        [.embeddedThumbnail, .fast, .downscaled], [.embeddedThumbnail, .fast, .partial], [.remuxed],
        [.firstFrame, .shortened, .animation], [.poster, .copied, .transcoded], [.copied, .shortened, .transcoded],
    ]

    @Test("are enough for the longest sequence of rungs, and a thumbnail")
    func enough() {
        for chain in Self.chains { #expect(chain.count + 1 <= Conversation.outputCount, "\(chain)") }
    }

    @Test("count every rung: a new one belongs to a sequence here")
    func complete() { #expect(Set(Self.chains.joined()) == Set(Rung.allCases)) }
}
