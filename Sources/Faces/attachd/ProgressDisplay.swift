import Batch
import Foundation

/// Shows how far a batch is on standard error: one line that changes on a terminal, else a line now and then.
struct ProgressDisplay {
    let monitor: BatchMonitor
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now

    init(monitor: BatchMonitor) { self.monitor = monitor }

    /// Returns when the task is cancelled, with the last word said.
    func run() async {
        while (try? await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))) != nil { show() }
        show()
        if isTerminal { write("\n") }
    }

    private func show() {
        let text = monitor.progress.text(after: ContinuousClock.now - start)
        // Back to the line's begin, and nothing left of what stood there.
        write(isTerminal ? "\r\(text)\u{1B}[K" : "\(text)\n")
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
