/// Patterns in which `*` stands for any number of characters, including none.
package enum Wildcard {
    /// Returns whether `text` matches `pattern`, in time proportional to both lengths: each `*` is tried from where the
    /// one before it succeeded.
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
