import HTTPClient
import Media
import Synchronization

/// A reader of a source's bytes in a body that has them in another form.
protocol BodyDecoder {
    /// A Boolean value that indicates whether the body may end here.
    var isWhole: Bool { get }
    /// A Boolean value that indicates whether the source is there as a whole, by what its form tells.
    var hasSource: Bool { get }
    /// Takes bytes of the body.
    mutating func add(_ bytes: [UInt8])
    /// Takes one short step, which is bounded in what it reads and writes. `isLast` tells that nothing more will be added.
    mutating func step(isLast: Bool) -> BodyStep
}

enum BodyStep: Equatable {
    /// The most bytes of the source that a step yields.
    static let byteLimit = 16_384

    /// The next bytes of the source. There may be none although bytes of the body were read.
    case bytes([UInt8])
    case needsInput
    case broken
    /// The source is there, and what follows does not belong to it.
    case ended
}

/// The place at which the bytes of a decoded body arrive.
protocol DecodedBytesReceiver: Sendable {
    /// Waits until `byteCount` further bytes may come. Returns `false` if none ever may. Does not wait for 0 bytes.
    func hasRoom(for byteCount: Int) async -> Bool
    /// Receives the next bytes, and returns whether more may come.
    func store(_ bytes: [UInt8]) -> Bool
    /// Receives the reason why the body cannot be decoded.
    func fail(_ words: String)
    /// Called when the source is there, although its body goes on.
    func finishEarly()
    /// Called when the transfer may go on.
    func goOn()
}

/// A body between the transfer, which adds to it, and its decoding, which runs beside it: neither a loop's thread nor
/// Swift's pool stands still for it (SECURITY N22).
final class CodedBody: Sendable {
    /// The number of coded bytes that wait at most; then the transfer pauses.
    private static let waitingByteCount = 65_536

    private let waiting = Mutex<[UInt8]>([])
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let makeDecoder: @Sendable () -> any BodyDecoder

    init(_ makeDecoder: @escaping @Sendable () -> any BodyDecoder) { self.makeDecoder = makeDecoder }

    var isFull: Bool { waiting.withLock { $0.count >= Self.waitingByteCount } }

    func add(_ bytes: UnsafeRawBufferPointer) {
        waiting.withLock { unsafe $0.append(contentsOf: bytes) }
        arrival.yield()
    }

    /// Marks the end of the body: no more bytes will be added.
    func end() { arrival.finish() }

    /// Decodes the body until its end, or until `receiver` takes no more. Returns whether the end was reached.
    func decode(for receiver: some DecodedBytesReceiver) async -> Bool {
        var decoder = makeDecoder()
        var arrivals = arrivals.makeAsyncIterator()
        var isLast = false
        while true {
            switch decoder.step(isLast: isLast) {
            case .bytes(let bytes):
                guard await receiver.hasRoom(for: bytes.count), receiver.store(bytes) else { return false }
                await Task.yield()
            case .broken:
                receiver.fail("sent a body that is not what its head says")
                return true
            case .ended:
                receiver.finishEarly()
                return true
            case .needsInput:
                let more = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                decoder.add(more)
                if more.count >= Self.waitingByteCount { receiver.goOn() }
                guard more.isEmpty else { continue }
                guard !isLast else {
                    if !decoder.isWhole { receiver.fail("did not send the end of its answer") }
                    // Whatever ended the transfer, such as a length of other bytes.
                    if decoder.hasSource { receiver.finishEarly() }
                    return true
                }
                guard await receiver.hasRoom(for: 0) else { return false }
                // Bytes are added before they are announced, so none are missed at the end.
                isLast = await arrivals.next() == nil
            }
        }
    }
}
