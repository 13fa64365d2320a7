import Batch
import Foundation

/// A display of a batch's progress on standard error: one changing line on a terminal, otherwise a line now and then.
struct ProgressDisplay {
    let monitor: BatchMonitor
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now

    init(monitor: BatchMonitor) { self.monitor = monitor }

    /// Shows the progress until the task is cancelled, and then the final state.
    func run() async {
        while (try? await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))) != nil { show() }
        show()
        if isTerminal { write("\n") }
    }

    private func show() {
        let text = monitor.progress.text(after: ContinuousClock.now - start)
        // Return to the beginning of the line and erase its old text.
        write(isTerminal ? "\r\(text)\u{1B}[K" : "\(text)\n")
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
