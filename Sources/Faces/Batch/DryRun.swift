import Files
import Media
import Payloads

/// A dry run (`--dry-run`), which reports a batch's work without writing files.
package struct DryRun {
    private let folders: BatchFolders
    private let options: BatchOptions
    /// The index of an earlier run, or `nil` if there is none.
    private var index: ManifestIndex?

    /// Reads the manifest of an earlier run. Only a real batch checks whether the outputs still exist.
    package init(_ folders: BatchFolders, _ options: BatchOptions, resumes: Bool) throws(BatchError) {
        self.folders = folders
        self.options = options
        guard resumes, let output = try? Directory.open(folders.output) else { return }
        var index = ManifestIndex()
        do throws(FileError) {
            try Manifest.read(in: output) { line, range in index.add(line, at: range) }
        } catch {
            throw BatchError(.cannotWrite, "\(error).")
        }
        self.index = index
    }

    /// Passes a line of JSON for each file to `print`: `path`, `action` (`make`, `keep`, `reuse` or `skip`), and for
    /// `make` the `output` without its extension (a file that keeps its extension keeps its name), for `skip` the `reason`.
    package func run(_ print: (String) -> Void) {
        let output = (try? Directory.open(folders.output)).flatMap { FileIdentity(folder: $0.descriptor) }
        for entry in TreeWalk(folders.input, options, output: output) {
            let members = members(of: entry)
            let path = ManifestLine.members("path", entry.path)
            print(JSONValue.object(path + members).compactText)
        }
    }

    private func members(of entry: TreeWalk.Entry) -> [JSONValue.Member] {
        guard case .file(let name) = entry.kind else {
            return Self.skip(entry.unusable.errors.first?["message"]?.text ?? "")
        }
        do throws(AttachmentFailure) {
            let file = try SourceFile(at: entry.path, below: folders.input, limits: options.limits)
            if let known = try action(for: file, at: entry.path) { return [.init("action", .string(known))] }
            return [.init("action", "make"), .init("output", .string(name.stem.text))]
        } catch {
            return Self.skip(error.message)
        }
    }

    private func action(for file: SourceFile, at path: RelativePath) throws(AttachmentFailure) -> String? {
        guard let index else { return nil }
        let content = ManifestLine.Content(
            sha256: try file.sha256(),
            byteCount: file.byteCount,
            options: options.fingerprint,
        )
        guard let row = index.row(with: content) else { return nil }
        return index.rows[row].path == ManifestIndex.Key(path) ? "keep" : "reuse"
    }

    private static func skip(_ reason: String) -> [JSONValue.Member] {
        [.init("action", "skip"), .init("reason", .string(reason))]
    }
}
