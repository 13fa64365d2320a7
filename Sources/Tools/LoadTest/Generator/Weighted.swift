import Media
package import SeededRandom

/// One of several choices, with its weight.
package struct Weighted<Value: Sendable>: Sendable {
    package var value: Value
    package var weight: Double

    package init(_ value: Value, weight: Double = 1) {
        self.value = value
        self.weight = weight
    }

    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Weighted<Other> {
        Weighted<Other>(try transform(value), weight: weight)
    }
}

extension Weighted<String> {
    /// Parses `WEIGHT:TEXT`, or `TEXT` alone.
    package init(text: String) {
        guard let colon = text.firstIndex(of: ":"), let weight = Double(text[..<colon]), weight > 0,
            weight <= 1e9
        else {
            self.init(text)
            return
        }
        self.init(String(text[text.index(after: colon)...]), weight: weight)
    }
}

extension [Weighted<String>] {
    /// Returns a random choice. There must be at least one.
    package func draw(using random: inout SplitMix) -> String {
        var lot = Double.random(in: 0..<reduce(0) { $0 + $1.weight }, using: &random)
        for choice in dropLast() {
            lot -= choice.weight
            if lot < 0 { return choice.value }
        }
        return self[count - 1].value
    }
}
