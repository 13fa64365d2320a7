import Foundation
import Support

/// The script of axe-core (https://github.com/dequelabs/axe-core), which Scripts/requirements-files.txt installs.
enum Axe {
    static let script: String? = {
        let lib = SharedMedia.packageRoot.appending(path: ".build/python/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: lib.path)) ?? []
        return versions.lazy.compactMap { version in
            let path = "\(version)/site-packages/axe_playwright_python/axe.min.js"
            return try? String(contentsOf: lib.appending(path: path), encoding: .utf8)
        }.first
    }()

    fileprivate struct Violation: Decodable {
        var id: String
        var impact: String?
        var targets: String
    }
}

extension Browser {
    /// Returns what axe finds on the page: all its rules, of every impact.
    func axeFindings() async throws -> [String] {
        let violations: [Axe.Violation] = try await value(
            // The page's own policy forbids evaluation; a driver's script may evaluate.
            of: """
                \(Axe.script ?? "");
                const found = await axe.run(document, { resultTypes: ["violations"] });
                return found.violations.map(({ id, impact, nodes }) =>
                  ({ id, impact, targets: nodes.map(node => node.target.join(" ") + " " + node.failureSummary).join("; ") }));
                """
        )
        return violations.map { "\($0.id) (\($0.impact ?? "")): \($0.targets)" }
    }

    /// Returns the labels of plots that touch another label of the same plot: those less than a letter apart.
    func touchingLabels() async throws -> [String] {
        try await value(
            of: """
                return [...document.querySelectorAll("svg")].filter(plot => plot.checkVisibility()).flatMap(plot => {
                  const labels = [...plot.querySelectorAll("text")].map(text => ({
                    text: text.textContent, box: text.getBoundingClientRect(),
                  }));
                  return labels.filter(({ box }, index) => labels.slice(0, index).some(({ box: other }) =>
                    box.left < other.right + 4 && other.left < box.right + 4 &&
                    box.top < other.bottom && other.top < box.bottom)).map(({ text }) => text);
                })
                """
        )
    }

    /// Returns the elements that make the page wider than its window, or that are cut off at its side.
    func overflows() async throws -> [String] {
        try await value(
            of: """
                const isScrolled = element => {
                  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
                    if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(parent).overflowX)) return true;
                  }
                  return false;
                };
                const wide = [...document.body.querySelectorAll("*")].filter(element => {
                  const box = element.getBoundingClientRect();
                  return box.width > 1 && box.right > innerWidth + 0.5 && !isScrolled(element);
                });
                if (document.documentElement.scrollWidth > innerWidth && wide.length === 0) wide.push(document.body);
                return wide.map(element => `${element.tagName}.${element.className}`);
                """
        )
    }
}
