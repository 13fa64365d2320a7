import Media
import Testing

@testable import AudioVideo

@Suite("The containers of clips")
struct ContainerTests {
    @Test("are those in which clips are delivered")
    func formats() {
        #expect(Set(Container.allCases.map(\.format)) == Set(OutputFormat.allCases.filter { $0.kind != .image }))
    }
}
