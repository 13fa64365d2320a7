/// The faults of one request, in the order in which they were written. Of one kind, the last one that occurs counts.
package struct Faults: Sendable, Equatable {
    package var all: [Fault] = []
    package var seed: UInt64?

    package init() {}

    /// Parses a query such as `latency=200ms&status=503@10%`. Ignores the parameter `n`, which only makes URLs
    /// distinct.
    package init(query: some StringProtocol) throws(FaultSyntaxError) {
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Keeps a `+`, which makes a length too long. Also keeps a lone percent sign, as in @10%.
            let key = String(parts[0])
            let value = parts.count == 2 ? Self.decoded(String(parts[1])) : ""
            switch key {
            case "n": continue
            case "seed":
                guard let seed = UInt64(value) else {
                    throw FaultSyntaxError(description: "seed=\(value): a seed is a whole number, such as 7.")
                }
                self.seed = seed
            default: all.append(try Fault(key: key, value: value))
            }
        }
    }

    /// Returns these faults followed by `others`.
    package func followed(by others: Faults) -> Faults {
        var faults = self
        faults.all += others.all
        faults.seed = others.seed ?? seed
        return faults
    }

    /// Decodes percent-encoded bytes. Keeps a percent sign without two hexadecimal digits.
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
