import Foundation
import Yams

/// Rules in a YAML or JSON file: a list `rules` of `path` and `faults`.
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

    /// Throws `FaultError` for whatever is wrong with the file.
    package init(_ path: String) throws(FaultError) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw FaultError(description: "\(path) cannot be read: is it there?")
        }
        let content: Content
        do {
            content = try YAMLDecoder().decode(Content.self, from: text)
        } catch {
            throw FaultError(description: "\(path): a list `rules` of `path` and `faults` is wanted: \(error)")
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
