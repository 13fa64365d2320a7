import DecoderWire
import Glibc
import Media
import Sandbox

/// The source as the worker shares it: a file that grows, and whose holes are filled, while it is read.
///
/// One thread at a time may use it. Without the worker there is nobody to decode for, so the process ends with it.
/// `@safe`: the block is its own, from its first to its last moment.
@safe
final class SharedSource: SourceBytes {
    private let descriptor: Int32
    private let line: PacketSocket
    private var progress: SourceProgress
    private var expires = false
    private var mayProceed = false
    /// What will be read next, as far as that is known.
    private var expected = ByteRanges()
    /// What was read ahead, because loaders ask for a few kilobytes at a time.
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

    /// Returns when the worker has the memory for the source.
    func waitToProceed() {
        while !mayProceed { _ = receive(waits: true) }
    }

    func expect(_ ranges: [Range<Int>]) { expected = ByteRanges(ranges) }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int, from offset: Int) -> Int {
        unsafe max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }

    func waitForEnd() -> Int {
        hear()
        let count = progress.present.prefixCount
        // Of a source whose last byte is there the end is on its way.
        if !progress.isEnded, count < progress.size ?? .max { ask(for: count..<Int.max, ahead: 0) }
        while !progress.isEnded { _ = receive(waits: true) }
        return progress.present.prefixCount
    }

    var size: Int? {
        hear()
        return progress.size
    }

    var isWhole: Bool {
        hear()
        return progress.isEnded && !progress.isCut
    }

    var isCut: Bool {
        hear()
        return progress.isCut
    }

    var timeWillExpire: Bool {
        hear()
        return expires
    }

    /// Returns when there is a byte at `offset`, or none will come.
    ///
    /// Of what was expected, all `count` bytes are waited for: they are on their way together, and asking for each
    /// packet that comes would cost more than it gains.
    private func waitForBytes(at offset: Int, upTo count: Int) {
        guard !isSettled(offset) else { return }
        hear()
        guard !isSettled(offset) else { return }
        let left = expected.range(at: offset).map { $0.upperBound - offset } ?? 1
        let least = min(count, left)
        ask(for: offset..<offset + least, ahead: left - least)
        while !isSettled(offset) { _ = receive(waits: true) }
    }

    /// Whether it is known if there is a byte at `offset`.
    private func isSettled(_ offset: Int) -> Bool {
        progress.isEnded || progress.present.range(at: offset) != nil || offset >= progress.size ?? .max
    }

    private func ask(for range: Range<Int>, ahead: Int) {
        do throws(SystemError) { try line.send(DecoderMessage.need(range, ahead: ahead)) } catch { _exit(1) }
    }

    /// Takes in what the worker has said so far.
    private func hear() {
        while receive(waits: false) {}
    }

    /// Whether there was a message.
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
            // What was sent before the end may be read after it.
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
