import HTTPTypes

/// The validators of a file's version: its strong entity tag and the time at which it was last stored.
struct Validators {
    /// The entity tag, including its quotes.
    var entityTag: String
    /// The time at which the file was last stored, in seconds since 1970.
    var lastModified: Int

    enum Verdict {
        case proceed, notModified, failed
    }

    /// Evaluates the conditions of a `GET` or `HEAD` in their order (RFC 9110, section 13.2.2).
    func evaluate(_ fields: HTTPFields) -> Verdict {
        if let tags = fields[.ifMatch] {
            guard matches(tags, isWeak: false) else { return .failed }
        } else if let date = fields[.ifUnmodifiedSince].flatMap(HTTPDate.seconds), lastModified > date {
            return .failed
        }
        if let tags = fields[.ifNoneMatch] {
            return matches(tags, isWeak: true) ? .notModified : .proceed
        }
        if let date = fields[.ifModifiedSince].flatMap(HTTPDate.seconds), lastModified <= date { return .notModified }
        return .proceed
    }

    /// Returns whether the request's `If-Range` allows ranges of this version (RFC 9110, section 13.1.5).
    func allowsRanges(_ fields: HTTPFields) -> Bool {
        guard let condition = fields[.ifRange] else { return true }
        return condition == entityTag || HTTPDate.seconds(condition) == lastModified
    }

    /// Returns whether this tag is in a list of tags. Only a weak comparison accepts weak tags.
    private func matches(_ list: String, isWeak: Bool) -> Bool {
        var rest = list[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.first == "*" { return true }
            let isWeakTag = rest.hasPrefix("W/")
            if isWeakTag { rest = rest.dropFirst(2) }
            // A tag may contain a comma, so it ends at its closing quote.
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return false }
            if rest[...end] == entityTag, isWeak || !isWeakTag { return true }
            rest = rest[rest.index(after: end)...]
        }
    }
}

// MARK: - Dates

/// Conversions between HTTP dates (RFC 9110, section 5.6.7) and seconds since 1970.
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsPerDay = 86_400

    /// Formats a date since 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Int) -> String {
        let (days, second) = (max(0, seconds) / secondsPerDay, max(0, seconds) % secondsPerDay)
        let date = Civil(days: days)
        let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(weekdays[days % 7]), \(twoDigits(date.day)) \(months[date.month - 1]) \(date.year) \(time) GMT"
    }

    /// Reads a date in this form or in the two obsolete ones, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37
    /// 1994`.
    static func seconds(_ text: String) -> Int? {
        // The weekday is redundant.
        let words = text.split(separator: " ").map(String.init)
        switch (words.count, words.last) {
        case (6, "GMT"): return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        case (5, _): return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
        case (4, "GMT"):
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            return date.count == 3 ? seconds(day: date[0], month: date[1], year: date[2], time: words[2]) : nil
        default: return nil
        }
    }

    private static func seconds(day: String, month: String, year: String, time: String) -> Int? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard let month = months.firstIndex(of: month), let day = number(day), let year = number(year),
            parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        // A year of two digits is from 1970 to 2069.
        let fullYear = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
        let days = Civil(year: fullYear, month: month + 1, day: day).days
        return days * secondsPerDay + hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A day of the Gregorian calendar. Years begin in March, so that a leap day is the last day of its year.
    private struct Civil {
        var year: Int
        var month: Int
        var day: Int

        private static let daysPerEra = 146_097
        /// The number of days from 1 March of the year 0 to 1 January 1970.
        private static let epoch = 719_468

        init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

        /// Creates a day from `days` since 1970, which must not be negative.
        init(days: Int) {
            let shifted = days + Self.epoch
            let (era, dayOfEra) = (shifted / Self.daysPerEra, shifted % Self.daysPerEra)
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }

        var days: Int {
            let (year, month) = (month <= 2 ? year - 1 : year, month <= 2 ? month + 9 : month - 3)
            let (era, yearOfEra) = (year / 400, year % 400)
            let dayOfYear = (153 * month + 2) / 5 + day - 1
            return era * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.epoch
        }
    }
}
