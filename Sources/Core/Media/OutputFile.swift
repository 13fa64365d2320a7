import CLinux
import Glibc

/// Memory of fixed size into which a decoder process writes one output.
///
/// Sealed against growing and shrinking before a decoder sees it, so what it says of its length can be checked.
package final class OutputFile: Sendable {
    package let descriptor: Int32
    package let capacity: Int

    package init(capacity: Int) throws(AttachmentFailure) {
        let descriptor = unsafe clinux_memory_file("output")
        guard descriptor >= 0 else {
            throw AttachmentFailure(.decode, .resourceLimit, "No memory file for the output: errno \(errno).")
        }
        self.descriptor = descriptor
        self.capacity = capacity
        guard clinux_seal_size(descriptor, capacity) == 0 else {
            throw AttachmentFailure(.decode, .resourceLimit, "The output memory file cannot be sized: errno \(errno).")
        }
    }

    deinit { close(descriptor) }

    /// Up to `count` bytes from the start.
    package func prefix(_ count: Int) -> [UInt8] {
        let wanted = max(0, min(count, capacity))
        return unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, wanted, 0))
        }
    }
}

/// One output that is complete and was checked: ready to be delivered.
package struct ReadyRung: Sendable {
    package var report: RungReport
    package var file: OutputFile

    package init(report: RungReport, file: OutputFile) {
        self.report = report
        self.file = file
    }
}
