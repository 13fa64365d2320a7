import Media
import Payloads
import Testing

@Suite("Round trips")
struct RoundTripTests {
    @Test("in 10,000 generated payloads every value of the sender's is unchanged afterwards")
    func generated() throws {
        var generator = PayloadGenerator(seed: 20_261_121)
        let ready = DeliveredAttachment(identifier: "i", url: "https://b.example/1", format: .jpeg)
        for number in 0..<10_000 {
            let members = generator.members()
            var payload = members
            payload.insert(JSONValue.Member("my-attachment", "https://a.example/1"), at: members.count / 2)
            let text = generator.text(.object(payload))
            try #require(JSONValue(parsing: Array(text.utf8)) == .object(payload), "payload \(number)")

            let request = try PayloadReader(dialects: [.myAttachment]).read(Array(text.utf8), identifier: "n")
            let written = PayloadWriter().write(request, attachments: [0: ready])
            guard case .object(var result) = try JSONValue(parsing: written.bytes) else {
                Issue.record("payload \(number) is not an object any more")
                continue
            }
            if written.fit == .listed { #expect(result.removeLast().key == "attachments") }
            let replaced = result.remove(at: members.count / 2)
            #expect(replaced.value == (written.fit == .original ? "https://a.example/1" : "https://b.example/1"))
            try #require(result == members, "payload \(number)")
            try #require(written.bytes.count <= 4096 || written.fit == .original, "payload \(number)")
        }
    }
}

/// A generator of payloads with a mutable alert and anything that JSON allows, reproducible from its seed.
private struct PayloadGenerator {
    private var random: SplitMix64
    private var budget = 0

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    mutating func members() -> [JSONValue.Member] {
        budget = 200
        var members = [JSONValue.Member("aps", ["alert": "Hi", "mutable-content": 1])]
        for _ in 0..<Int.random(in: 0...8, using: &random) { members.append(member(depth: 2)) }
        if Int.random(in: 0..<100, using: &random) == 0 { members.append(deepest) }
        return members
    }

    private mutating func member(depth: Int) -> JSONValue.Member {
        // Keys that are empty, similar to others, or duplicate; never one of attachd's own.
        let keys = [
            "", " ", "a", "A", "á", "a\u{301}", "a/b", "a~b", "~0", "0", "*", "\u{0}", "\"", "\\", "\u{1F600}", "aps ",
        ]
        return JSONValue.Member(keys.randomElement(using: &random) ?? "", value(depth: depth))
    }

    private mutating func value(depth: Int) -> JSONValue {
        budget -= 1
        let isLeaf = budget < 0 || depth >= 20
        switch Int.random(in: isLeaf ? 2...7 : 0...7, using: &random) {
        case 0: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1) })
        case 1: return .object((0..<Int.random(in: 0...4, using: &random)).map { _ in member(depth: depth + 1) })
        case 2: return .null
        case 3: return .bool(Bool.random(using: &random))
        case 4, 5: return .number(number())
        default: return .string(string())
        }
    }

    /// An array with the greatest depth that a member may have.
    private var deepest: JSONValue.Member {
        JSONValue.Member("deep", (1..<JSONValue.depthLimit).reduce(JSONValue.null) { value, _ in [value] })
    }

    private mutating func number() -> String {
        let integer = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
        let fraction = UInt64.random(in: .min ... .max, using: &random)
        return switch Int.random(in: 0...5, using: &random) {
        case 0: "9007199254740993"
        case 1: "18446744073709551616"
        case 2: "\(integer).\(fraction)00"
        case 3: "\(integer)e\(["", "+", "-"].randomElement(using: &random) ?? "")0\(fraction % 400)"
        case 4: "-0.0E1"
        default: "\(integer)"
        }
    }

    private mutating func string() -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x7F, 0x20...0x7E, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let range = ranges.randomElement(using: &random) ?? 0...0x7F
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Returns JSON text with some extra spaces and needless escapes.
    mutating func text(_ value: JSONValue) -> String {
        switch value {
        case .null, .bool, .number, .unpaired: return space + value.compactText + space
        case .string(let string): return space + quoted(string) + space
        case .array(let elements): return "[" + elements.map { text($0) }.joined(separator: ",") + "]" + space
        case .object(let members):
            return "{" + members.map { space + quoted($0.key) + space + ":" + text($0.value) }.joined(separator: ",")
                + "}"
        }
    }

    private var space: String {
        mutating get {
            Int.random(in: 0..<8, using: &random) == 0
                ? [" ", "\n", "\t", "\r\n "].randomElement(using: &random) ?? "" : ""
        }
    }

    private mutating func quoted(_ string: String) -> String {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return JSONValue.string(string).compactText }
        return "\""
            + string.utf16.map { unit in
                let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            .joined() + "\""
    }
}

/// A random number generator whose whole state is its seed (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
