import DecoderWire
import Glibc
import Media
import Sandbox
import Values

/// The files of fixed size that the worker provides for results, one for each.
final class OutputDescriptors: RungOutput {
    private let descriptors: [Int32]
    private let capacity: Int
    private let line: PacketSocket
    /// The source, which receives the worker's answers.
    private let source: SharedSource
    private var used = 0

    init(_ descriptors: [Int32], capacity: Int, line: PacketSocket, source: SharedSource) {
        self.descriptors = descriptors
        self.capacity = capacity
        self.line = line
        self.source = source
    }

    func describe(_ report: SourceReport, memoryBytes: Int) {
        send(.source(report, memoryBytes: memoryBytes))
        source.waitToProceed()
    }

    func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        let output = try unsafe write(bytes)
        var report = report
        report.byteCount = bytes.count
        send(.rung(report, output: output))
    }

    func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        try unsafe send(.thumbnail(byteCount: bytes.count, output: write(bytes)))
    }

    /// Writes all of `bytes` to the next file, and returns the file's index.
    private func write(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> Int {
        guard used < descriptors.count else { throw DecodeError(.internalError, "more results than output files") }
        guard bytes.count <= capacity else { throw DecodeError(.tooLarge, "the result outgrows its file") }
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptors[used], rest.baseAddress, rest.count, off_t(written))
            guard count > 0 else { throw DecodeError(.resourceLimit, "no memory for the result") }
            written += count
        }
        used += 1
        return used - 1
    }

    /// Sends a message. Ends the process if the worker is gone.
    private func send(_ message: DecoderMessage) {
        do throws(SystemError) { try line.send(message) } catch { _exit(1) }
    }
}
