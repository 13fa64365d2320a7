import Base
import Files
import Glibc
import Payloads
import Synchronization

/// The journal of a batch. It keeps the manifest and the outputs consistent.
///
/// It commits finished files in groups: first it moves the outputs to their locations and syncs them, then it writes
/// the manifest. After a crash, each line either names an existing output or is recognized as invalid.
final class BatchJournal: Sendable {
    /// A finished file.
    enum Entry: Sendable {
        /// A file without an output.
        case line(ManifestLine)
        /// A file with an output, to be named `output`.
        case made(ManifestLine, RelativePath, OutputFolder.Scratch)
        /// A file with the same content as a finished file.
        case reuse(Int, path: RelativePath, OutputName)
    }

    /// The outcome of adding an entry.
    enum Outcome: Sendable {
        case written(ManifestLine)
        /// The manifest has this line already.
        case known
        /// The result to reuse no longer exists.
        case lost
        case failed(FileError)
    }

    /// The decision about a file.
    enum Decision: Sendable {
        case keep(ManifestLine)
        case reuse(Int)
        case make
    }

    private struct Pending {
        var entry: Entry
        var caller: Waiter<Outcome>
    }

    /// The changes to the disk at the end of a group of entries.
    private struct Group {
        var folders: [String: Directory] = [:]
        /// The old paths of renamed outputs.
        var obsolete: [RelativePath] = []
        var answers: [(Waiter<Outcome>, Outcome)] = []
    }

    private let input: Directory
    private let output: OutputFolder
    private let contents: Mutex<BatchJournalState>
    private let pending = Mutex<[Pending]>([])
    private let thread = WorkThreads("batch journal", limit: 1)

    init(input: Directory, output: OutputFolder) throws(FileError) {
        var index = ManifestIndex()
        let manifest = try Manifest(in: output.root) { line, range in index.add(line, at: range) }
        self.input = input
        self.output = output
        contents = Mutex(BatchJournalState(index: index, manifest: manifest))
    }

    // MARK: Decisions

    /// Returns whether a file's result exists, can be copied from another file's, or has to be made. It verifies the
    /// contents of existing outputs.
    func decide(_ path: RelativePath, _ name: OutputName, _ content: ManifestLine.Content) -> Decision {
        contents.withLock { contents in
            if let row = contents.index.row(of: path), let line = contents.line(row), line.content == content,
                line.isSettled, isInPlace(line, name)
            {
                return .keep(line)
            }
            return contents.index.row(with: content).map { .reuse($0) } ?? .make
        }
    }

    private func isInPlace(_ line: ManifestLine, _ name: OutputName) -> Bool {
        guard let path = line.output else { return line.attachment == nil }
        guard let sha256 = line.outputSHA256, path == name.path(like: path) else { return false }
        return output.has(path, sha256: sha256)
    }

    // MARK: Finished files

    /// Adds an entry. Returns when it is stored on the disk and survives a crash.
    func add(_ entry: Entry) async -> Outcome {
        await withWaiter { caller in
            pending.withLock { $0.append(Pending(entry: entry, caller: caller)) }
            if thread.append({ [self] in addPending() }) == nil { addPending() }
        }
    }

    private func addPending() {
        let entries = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        guard !entries.isEmpty else { return }
        var group = Group()
        contents.withLock { contents in
            for entry in entries {
                do throws(FileError) {
                    group.answers.append((entry.caller, try apply(entry.entry, &contents, &group)))
                } catch {
                    group.answers.append((entry.caller, .failed(error)))
                }
            }
            do throws(FileError) {
                for folder in group.folders.values { try folder.sync() }
                try contents.manifest.flush()
                for path in group.obsolete where contents.index.isFree(path) { output.remove(path) }
            } catch {
                group.answers = group.answers.map { [error] in ($0.0, .failed(error)) }
            }
        }
        for (caller, outcome) in group.answers { caller.resume(returning: outcome) }
    }

    private func apply(_ entry: Entry, _ contents: inout BatchJournalState, _ group: inout Group) throws(FileError)
        -> Outcome
    {
        switch entry {
        case .line(let line):
            if let path = line.path, let old = contents.index.row(of: path), let known = contents.line(old) {
                if known.saysTheSame(as: line) { return .known }
                contents.replace(old, with: nil, line.content, output, &group.obsolete)
            }
            return contents.add(line)
        case .made(let line, let path, let scratch):
            return try put(line, at: path, scratch, &contents, &group)
        case .reuse(let row, let path, let name):
            return try reuse(row, path, name, &contents, &group)
        }
    }

    private func put(
        _ line: ManifestLine,
        at path: RelativePath,
        _ scratch: OutputFolder.Scratch,
        _ contents: inout BatchJournalState,
        _ group: inout Group,
    ) throws(FileError) -> Outcome {
        guard let source = line.path else { return .lost }
        let old = contents.index.row(of: source)
        if let owner = contents.index.owner(ofOutput: path), owner != old {
            contents.replace(owner, with: path, line.content, output, &group.obsolete)
        }
        if let old { contents.replace(old, with: path, line.content, output, &group.obsolete) }
        let folder = try output.place(scratch.name, at: path)
        group.folders[folder.path] = folder
        var line = line
        line.setOutput(
            path,
            url: Self.url(of: path, below: output.root),
            sourceURL: Self.url(of: source, below: input),
            sha256: scratch.sha256,
        )
        return contents.add(line)
    }

    private func reuse(
        _ row: Int,
        _ path: RelativePath,
        _ name: OutputName,
        _ contents: inout BatchJournalState,
        _ group: inout Group,
    ) throws(FileError) -> Outcome {
        guard let known = contents.line(row), let knownPath = known.path else { return .lost }
        let line = known.moved(to: path)
        guard let knownOutput = known.output else {
            guard known.attachment == nil else { return .lost }
            if let old = contents.index.row(of: path) {
                contents.replace(old, with: nil, line.content, output, &group.obsolete)
            }
            return contents.add(line)
        }
        let isAside = contents.index.rows[row].isAside
        let stored = isAside ? RelativePath(BatchJournalState.asideName(row)) : knownOutput
        guard let sha256 = known.outputSHA256,
            let file = output.open(stored, below: isAside ? output.scratch : output.root, sha256: sha256)
        else {
            contents.index.drop(row)
            return .lost
        }
        defer { close(file.descriptor) }
        let scratch = try output.copy(file.descriptor, file.byteCount, to: "tmp-copy")
        let outcome = try put(line, at: name.path(like: knownOutput), scratch, &contents, &group)
        // The file was renamed, so its output is renamed, too.
        if !isAside, knownPath != path, !isThere(knownPath) {
            contents.index.drop(row)
            group.obsolete.append(knownOutput)
        }
        return outcome
    }

    private func isThere(_ path: RelativePath) -> Bool {
        (try? input.subdirectory(at: path.parent))?.status(of: path.name).map { $0.st_mode & S_IFMT == S_IFREG }
            ?? false
    }

    private static func url(of path: RelativePath, below folder: Directory) -> String {
        "file://\(RelativePath(folder.path).urlText)/\(path.urlText)"
    }

    // MARK: The end

    /// Sorts the manifest, with one line for each file, and passes each line to `take`.
    func finish(_ take: (ManifestLine) -> Void) throws(FileError) {
        try contents.withLock { contents throws(FileError) in
            let ranges = try contents.manifest.rewrite(contents.index.live.map(\.range), in: output.scratch)
            for range in ranges {
                if let line = contents.manifest.line(at: range) { take(line) }
            }
        }
    }
}

// MARK: - The state

/// The state of a journal: the manifest and its index.
struct BatchJournalState {
    var index: ManifestIndex
    let manifest: Manifest

    /// Returns the name of an output that is set aside in attachd's own folder.
    static func asideName(_ row: Int) -> String { "tmp-aside-\(row)" }

    func line(_ row: Int) -> ManifestLine? { manifest.line(at: index.rows[row].range) }

    mutating func add(_ line: ManifestLine) -> BatchJournal.Outcome {
        index.add(line, at: manifest.stage(line))
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
        guard let line = line(row), let output = line.output else { return index.drop(row) }
        if line.content != content, index.isHolder(row), folder.setAside(output, as: Self.asideName(row)) {
            return index.setAside(row)
        }
        index.drop(row)
        if output != path { obsolete.append(output) }
    }
}
