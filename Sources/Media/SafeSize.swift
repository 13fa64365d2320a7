/// Arithmetic on numbers that come from files: `nil` instead of a trap when the result has no place in an `Int`.
package enum SafeSize {
    package static func product(_ factors: Int...) -> Int? {
        var result = 1
        for factor in factors {
            let (partial, overflow) = result.multipliedReportingOverflow(by: factor)
            guard !overflow, factor >= 0 else { return nil }
            result = partial
        }
        return result
    }

    package static func sum(_ terms: Int...) -> Int? {
        var result = 0
        for term in terms {
            let (partial, overflow) = result.addingReportingOverflow(term)
            guard !overflow, term >= 0 else { return nil }
            result = partial
        }
        return result
    }
}
