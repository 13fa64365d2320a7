/// The state of a journal: the manifest and its index.
struct BatchJournalState {
    var ledger: ManifestIndex
    let manifest: Manifest

    /// Returns the name of an output that is set aside in attachd's own folder.
    static func asideName(_ row: Int) -> String { "tmp-aside-\(row)" }

    func line(_ row: Int) -> ManifestLine? { manifest.line(at: ledger.rows[row].range) }

    mutating func add(_ line: ManifestLine) -> BatchJournal.Outcome {
        ledger.add(line, at: manifest.stage(line))
        return .written(line)
    }

    /// Removes the row's claim to its output, because another line's output will be at `path`.
    ///
    /// The output is set aside if no other row has the same content, because another file may still have this content.
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
