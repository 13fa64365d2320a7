/// Words for numbers in the linter's findings.
enum LintText {
    /// Returns a time in seconds in its largest whole unit, such as `3 hours`.
    static func duration(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        for (length, name) in units where seconds >= length { return count(seconds / length, name) }
        return count(max(0, seconds), "second")
    }

    /// Returns a number with a noun in its singular or plural.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
