/// The ledger, and the manifest that it stands for.
struct BatchJournalState {
    var ledger: ManifestIndex
    let manifest: Manifest

    /// The name in the output's own folder of an output that is kept aside.
    static func asideName(_ row: Int) -> String { "tmp-aside-\(row)" }

    func line(_ row: Int) -> ManifestLine? { manifest.line(at: ledger.rows[row].range) }

    mutating func add(_ line: ManifestLine) -> BatchJournal.Outcome {
        ledger.add(line, at: manifest.stage(line))
        return .written(line)
    }

    /// Makes way for another line, whose output will be at `path`.
    ///
    /// Another file may turn out to have the content that this row was made of: then its output is kept aside, if nobody
    /// else has one.
    mutating func replace(
        _ row: Int,
        with path: RelativePath?,
        _ content: ManifestLine.Content?,
        _ folder: OutputFolder,
        _ obsolete: inout [RelativePath],
    ) {
        guard let line = line(row), let output = line.output else { return ledger.drop(row) }
        if line.content != content, ledger.isHolder(row), folder.setAside(output, as: Self.asideName(row)) {
            return ledger.setAside(row)
        }
        ledger.drop(row)
        if output != path { obsolete.append(output) }
    }
}
