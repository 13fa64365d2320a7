import Foundation
import Yams

/// Rules from a YAML or JSON file, which has a list `rules` of `path` and `faults`.
///
///     rules:
///       - path: "*.mp4"
///         faults: bandwidth=50kB/s & latency=200ms
package struct RuleFile {
    private struct Content: Decodable {
        struct Rule: Decodable {
            var path: String
            var faults: String
        }

        var rules: [Rule]
    }

    package let rules: [FaultRule]

    /// Reads the file. Throws `FaultSyntaxError` if it is not valid.
    package init(_ path: String) throws(FaultSyntaxError) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw FaultSyntaxError(
                description: "The file \(path) cannot be read. Check that it exists and is readable."
            )
        }
        let content: Content
        do {
            content = try YAMLDecoder().decode(Content.self, from: text)
        } catch {
            throw FaultSyntaxError(description: "\(path) is not a list `rules` of `path` and `faults`: \(error)")
        }
        var rules: [FaultRule] = []
        for rule in content.rules {
            do throws(FaultSyntaxError) {
                rules.append(try FaultRule(pattern: rule.path, query: rule.faults))
            } catch {
                throw FaultSyntaxError(description: "\(path): \(error)")
            }
        }
        self.rules = rules
    }
}
