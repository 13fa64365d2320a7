import DecoderWire
import Glibc
import Sandbox

/// The source as the worker shares it: a file that grows while it is read.
///
/// One thread at a time may use it. Without the worker there is nobody to decode for, so the process ends with it.
/// `@safe`: the block is its own, from its first to its last moment.
@safe
final class SharedSource: SourceBytes {
    private let descriptor: Int32
    private let line: PacketSocket
    private var progress: SourceProgress
    private var expires = false
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
        wait(for: offset + 1)
        let count = min(buffer.count, progress.byteCount - offset)
        guard count > 0 else { return 0 }
        guard unsafe count < block.count else { return unsafe fill(buffer, count, from: offset) }
        if !blockRange.contains(offset) {
            let ahead = unsafe min(block.count, progress.byteCount - offset)
            blockRange = unsafe offset..<offset + fill(block, ahead, from: offset)
        }
        let part = unsafe block[offset - blockRange.lowerBound..<blockRange.count].prefix(count)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        return unsafe part.count
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int, from offset: Int) -> Int {
        unsafe max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }

    func waitForEnd() -> Int {
        wait(for: Int.max)
        return progress.byteCount
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

    /// Returns when `byteCount` bytes are there, or no more will come.
    private func wait(for byteCount: Int) {
        guard !progress.isEnded, progress.byteCount < byteCount else { return }
        hear()
        guard !progress.isEnded, progress.byteCount < byteCount else { return }
        do throws(SystemError) { try line.send(DecoderMessage.need(byteCount: byteCount)) } catch { _exit(1) }
        while !progress.isEnded, progress.byteCount < byteCount { _ = receive(waits: true) }
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
        case .have(let byteCount):
            // What was sent before the end may be read after it.
            if !progress.isEnded { progress.byteCount = byteCount }
        case .endsHere(let byteCount, let isWhole):
            progress = SourceProgress(byteCount: byteCount, isEnded: true, isCut: !isWhole)
        case .timeWillExpire:
            expires = true
        case .transform, nil:
            _exit(1)
        }
    }
}
