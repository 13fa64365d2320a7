import Foundation

/// A program that was built beside these tests.
package enum BuiltProgram {
    package static func path(_ name: String) -> String {
        // The tests are a bundle that the test runner loads, or a program themselves.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path
    }
}
