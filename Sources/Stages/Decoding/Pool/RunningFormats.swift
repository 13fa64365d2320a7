import Media
import Sandbox
import Synchronization

/// The jobs that have a decoder process, with the formats of their sources, so that a format that is switched off has no
/// decoder process any more.
final class RunningFormats: Sendable {
    private struct Entry {
        var format: MediaFormat
        var process: ProcessHandle
        var isStopped = false
    }

    private let entries = Mutex<[Int: Entry]>([:])

    /// Records that a job has a process. After that, the job reads which formats are off: a change is either seen by the
    /// job, or sees the job.
    func begin(_ id: Int, _ format: MediaFormat, _ process: ProcessHandle) {
        entries.withLock { $0[id] = Entry(format: format, process: process) }
    }

    /// Removes a job. Returns whether its process was stopped.
    @discardableResult
    func end(_ id: Int) -> Bool { entries.withLock { $0.removeValue(forKey: id)?.isStopped ?? false } }

    /// The formats of the sources that have a decoder process and may keep it.
    var formats: [MediaFormat] { entries.withLock { $0.values.filter { !$0.isStopped }.map(\.format) } }

    func isStopped(_ id: Int) -> Bool { entries.withLock { $0[id]?.isStopped ?? false } }

    /// Kills the processes whose sources may have something of `disabled`. Returns their formats.
    func stop(_ disabled: DisabledFormats) -> [MediaFormat] {
        entries.withLock { entries in
            var formats: [MediaFormat] = []
            for (id, entry) in entries where !entry.isStopped && disabled.mayConcern(entry.format) {
                entries[id]?.isStopped = true
                entry.process.kill()
                formats.append(entry.format)
            }
            return formats
        }
    }
}
