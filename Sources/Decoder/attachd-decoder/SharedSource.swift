import Base
import DecoderWire
import Glibc
import Media
import Sandbox

/// The source as a file that the worker shares and fills while it is read.
///
/// Only one thread at a time may use it. The process ends when the worker is gone.
///
/// `@safe`: the object allocates the block and frees it at its end.
@safe
final class SharedSource: SourceBytes {
    private let descriptor: Int32
    private let line: PacketSocket
    private var progress: SourceProgress
    private var expires = false
    private var mayProceed = false
    /// The ranges that will be read next, as far as known.
    private var expected = ByteRanges()
    /// The bytes that were read ahead, because loaders ask for a few kilobytes at a time.
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 4096)
    private var blockRange = 0..<0

    init(descriptor: Int32, line: PacketSocket, progress: SourceProgress) {
        self.descriptor = descriptor
        self.line = line
        self.progress = progress
    }

    deinit { unsafe block.deallocate() }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset >= 0, offset < Int.max, buffer.count > 0 else { return 0 }
        waitForBytes(at: offset, upTo: buffer.count)
        guard let available = progress.present.range(at: offset) else { return 0 }
        let count = min(buffer.count, available.upperBound - offset)
        guard unsafe count < block.count else { return unsafe fill(buffer, count, from: offset) }
        if !blockRange.contains(offset) {
            let ahead = unsafe min(block.count, available.upperBound - offset)
            blockRange = unsafe offset..<offset + fill(block, ahead, from: offset)
        }
        let part = unsafe block[offset - blockRange.lowerBound..<blockRange.count].prefix(count)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        return unsafe part.count
    }

    /// Waits until the worker has the memory for the source.
    func waitToProceed() {
        while !mayProceed { _ = receive(waits: true) }
    }

    func expect(_ ranges: [Range<Int>]) { expected = ByteRanges(ranges) }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int, from offset: Int) -> Int {
        unsafe max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }

    func waitForEnd() -> Int {
        receivePending()
        let count = progress.present.prefixCount
        // If the last byte is there, the message of the end is on its way.
        if !progress.isEnded, count < progress.size ?? .max { ask(for: count..<Int.max, ahead: 0) }
        while !progress.isEnded { _ = receive(waits: true) }
        return progress.present.prefixCount
    }

    var size: Int? {
        receivePending()
        return progress.size
    }

    var isWhole: Bool {
        receivePending()
        return progress.isEnded && !progress.isCut
    }

    var isCut: Bool {
        receivePending()
        return progress.isCut
    }

    var timeWillExpire: Bool {
        receivePending()
        return expires
    }

    /// Waits until there is a byte at `offset`, or none will come.
    ///
    /// In expected ranges, waits for all `count` bytes: they arrive together, and asking for each packet would cost
    /// more than it saves.
    private func waitForBytes(at offset: Int, upTo count: Int) {
        guard !isSettled(offset) else { return }
        receivePending()
        guard !isSettled(offset) else { return }
        let left = expected.range(at: offset).map { $0.upperBound - offset } ?? 1
        let least = min(count, left)
        ask(for: offset..<offset + least, ahead: left - least)
        while !isSettled(offset) { _ = receive(waits: true) }
    }

    /// Returns `true` if it is known whether there is a byte at `offset`.
    private func isSettled(_ offset: Int) -> Bool {
        progress.isEnded || progress.present.range(at: offset) != nil || offset >= progress.size ?? .max
    }

    private func ask(for range: Range<Int>, ahead: Int) {
        do throws(SystemError) { try line.send(DecoderMessage.need(range, ahead: ahead)) } catch { _exit(1) }
    }

    /// Processes the messages that the worker has sent so far.
    private func receivePending() {
        while receive(waits: false) {}
    }

    /// Processes one message. Returns `true` if there was one.
    private func receive(waits: Bool) -> Bool {
        do throws(SystemError) {
            guard let packet = try line.receive(waits: waits) else { _exit(1) }
            take(packet)
            return true
        } catch {
            guard error.code == EAGAIN else { _exit(1) }
            return false
        }
    }

    private func take(_ packet: PacketSocket.Packet) {
        switch try? WorkerMessage(packet: packet.bytes) {
        case .have(let range, let size):
            // Messages sent before the end may be read after it.
            guard !progress.isEnded else { return }
            progress.present.insert(range)
            progress.size = size
        case .endsHere(let source):
            progress = source
        case .timeWillExpire:
            expires = true
        case .proceed:
            mayProceed = true
        case .transform, nil:
            _exit(1)
        }
    }
}
