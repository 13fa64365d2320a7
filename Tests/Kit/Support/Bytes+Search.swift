import Foundation

/// Searches by Foundation, which is compiled for release. Swift's own take seconds for a clip in a debug build.
extension [UInt8] {
    package func firstRange(of part: some Collection<UInt8>) -> Range<Int>? { Data(self).range(of: Data(part)) }

    package func contains(_ part: some Collection<UInt8>) -> Bool { firstRange(of: part) != nil }
}
