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

    /// Reads the file. Throws `FaultError` if it is not valid.
    package init(_ path: String) throws(FaultError) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw FaultError(description: "The file \(path) cannot be read. Check that it exists and is readable.")
        }
        let content: Content
        do {
            content = try YAMLDecoder().decode(Content.self, from: text)
        } catch {
            throw FaultError(description: "\(path) is not a list `rules` of `path` and `faults`: \(error)")
        }
        var rules: [FaultRule] = []
        for rule in content.rules {
            do throws(FaultError) {
                rules.append(try FaultRule(pattern: rule.path, query: rule.faults))
            } catch {
                throw FaultError(description: "\(path): \(error)")
            }
        }
        self.rules = rules
    }
}
