import CLinux
import Glibc

/// Memory of fixed size into which a decoder process writes one output.
///
/// It is sealed against growing and shrinking before a decoder sees it, so that the decoder's claim about its length
/// can be checked.
package final class OutputFile: Sendable {
    package let descriptor: Int32
    package let capacity: Int

    package init(capacity: Int) throws(AttachmentFailure) {
        let descriptor = unsafe clinux_memory_file("output")
        guard descriptor >= 0 else {
            let message = "The worker has no memory for the output. Raise its limits for memory and open files."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
        self.descriptor = descriptor
        self.capacity = capacity
        guard clinux_seal_size(descriptor, capacity) == 0 else {
            let message = "The worker has no memory for the output. Raise its memory limit."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
    }

    deinit { close(descriptor) }

    /// Returns up to `count` bytes from the start.
    package func prefix(_ count: Int) -> [UInt8] {
        let wanted = max(0, min(count, capacity))
        return unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, wanted, 0))
        }
    }
}

/// One output that is complete and checked: ready to be delivered.
package struct ReadyRung: Sendable {
    package var report: RungReport
    package var file: OutputFile

    package init(report: RungReport, file: OutputFile) {
        self.report = report
        self.file = file
    }
}
