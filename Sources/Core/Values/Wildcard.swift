/// Patterns in which `*` stands for any characters, none too.
package enum Wildcard {
    /// Takes time in proportion to both lengths: each `*` is tried from where the one before it succeeded.
    package static func matches(_ text: Substring.UTF8View, _ pattern: String.UTF8View) -> Bool {
        var (place, next) = (text.startIndex, pattern.startIndex)
        var retry: (place: String.Index, next: String.Index)?
        while place != text.endIndex {
            if next != pattern.endIndex, pattern[next] == UInt8(ascii: "*") {
                next = pattern.index(after: next)
                retry = (place, next)
            } else if next != pattern.endIndex, pattern[next] == text[place] {
                (place, next) = (text.index(after: place), pattern.index(after: next))
            } else if let last = retry {
                (place, next) = (text.index(after: last.place), last.next)
                retry = (place, next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
