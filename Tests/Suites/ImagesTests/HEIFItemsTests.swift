import Testing

@testable import Images

extension ImagesTests {
    @Suite("The items of HEIF files")
    struct HEIFItemsTests {
        @Test("a property that a file gives an item a hundred thousand times counts a few times")
        func repeated() {
            let numbers = [UInt8](repeating: 1, count: 255)
            let entry: [UInt8] = [0, 1, 255] + numbers
            let entries = (0..<400).flatMap { _ in entry }
            let associations = Self.box("ipma", [0, 0, 0, 0, 0, 0, 1, 0x90] + entries)
            let properties = Self.box("iprp", Self.box("ipco", Self.box("irot", [1])) + associations)
            let references = (0..<1000).flatMap { _ in Self.box("auxl", [0, 2, 0, 1, 0, 1]) }
            let meta = Self.box("pitm", [0, 0, 0, 0, 0, 1]) + Self.box("iref", [0, 0, 0, 0] + references) + properties
            guard let items = HEIFItems(meta) else {
                Issue.record("the file was not read")
                return
            }
            #expect(items.properties(of: 1).count == 64)
            #expect(items.auxiliaries == [2])
        }

        private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let length = content.count + 8
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(type.utf8) + content
        }
    }
}
