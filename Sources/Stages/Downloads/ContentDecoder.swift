import CZlib
import HTTPClient

/// A content coding that is undone, although attachd asks for none: some servers code whatever they send.
enum ContentCoding: Sendable {
    case gzip, deflate

    /// Returns the coding of a body, or `nil` for plain bytes. Throws the words for what the origin did if there are several
    /// layers, which may be a bomb, or another coding (SECURITY N22).
    init?(_ head: AnswerHead) throws(UnknownCoding) {
        let codings = head.codings
        guard codings.count <= 1 else { throw UnknownCoding(words: "coded its answer more than once") }
        switch codings.first {
        case nil: return nil
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case let coding?:
            throw UnknownCoding(words: "sent its answer coded with \(coding), although no coding was asked for")
        }
    }

    struct UnknownCoding: Error {
        var words: String
    }
}

/// A decoder of one layer of gzip or deflate (RFC 9110, section 8.4.1). The bytes decide: plain bytes with the name of a coding
/// stay as they are, and deflate is read with and without zlib's head, as browsers do.
struct ContentDecoder: BodyDecoder {
    private enum Stage {
        case begins
        case member(Inflation)
        case plain
        /// Whatever follows does not belong to the source.
        case over
    }

    private let coding: ContentCoding
    private var stage = Stage.begins
    /// A Boolean value that indicates whether a member of the gzip body is there as a whole.
    private var hasMember = false
    /// A Boolean value that indicates whether nothing is decoded yet.
    private var isFresh = true
    private var input: ArraySlice<UInt8> = []
    /// The bytes by which deflate without a head is told from bytes that are not coded.
    private static let beginningByteCount = 16

    init(_ coding: ContentCoding) { self.coding = coding }

    var hasSource: Bool {
        switch stage {
        case .begins: hasMember
        case .over: true
        case .member, .plain: false
        }
    }

    mutating func add(_ bytes: [UInt8]) { input = input + bytes }

    var isWhole: Bool {
        switch stage {
        case .begins: hasMember || input.isEmpty
        case .member: false
        case .plain, .over: true
        }
    }

    mutating func step(isLast: Bool) -> BodyStep {
        switch stage {
        case .begins:
            guard input.count >= Self.beginningByteCount || isLast && !input.isEmpty else { return .needsInput }
            stage = beginning(input.first ?? 0, input.dropFirst().first ?? 0)
            return .bytes([])
        case .plain:
            guard !input.isEmpty else { return .needsInput }
            defer { input = input.dropFirst(BodyStep.byteLimit) }
            return .bytes(Array(input.prefix(BodyStep.byteLimit)))
        case .over: return .ended
        case .member(let inflation):
            let before = input
            defer { isFresh = false }
            switch inflation.step(&input) {
            case .bytes(let bytes): return .bytes(bytes)
            case .needsInput: return .needsInput
            case .broken:
                guard isFresh, coding == .deflate else { return .broken }
                (stage, input) = (.plain, before)
                return .bytes([])
            case .ended(let bytes):
                (stage, hasMember) = (.begins, true)
                return .bytes(bytes)
            }
        }
    }

    private func beginning(_ first: UInt8, _ second: UInt8) -> Stage {
        let isGzip = first == 0x1F && second == 0x8B
        if hasMember { return isGzip && coding == .gzip ? .member(Inflation(.gzip)) : .over }
        if isGzip { return .member(Inflation(.gzip)) }
        if coding == .gzip { return .plain }
        let isZlib = first & 0x0F == 8 && (Int(first) << 8 | Int(second)).isMultiple(of: 31)
        return .member(Inflation(isZlib ? .zlib : .raw))
    }
}

/// zlib's work on one member of a body.
@safe
private final class Inflation {
    /// The head of the member, as zlib's window bits.
    enum Head: Int32 {
        case gzip = 31
        case zlib = 15
        case raw = -15
    }

    enum Step {
        case bytes([UInt8])
        case needsInput
        case broken
        /// These are the member's last bytes.
        case ended([UInt8])
    }

    /// Blocks without a byte are work, too: each step reads so many bytes, and writes so many.
    private static let readByteCount = 4096
    private static let writtenByteCount = BodyStep.byteLimit

    /// zlib knows the address of this.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool

    init(_ head: Head) {
        unsafe stream.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        isReady = unsafe inflateInit2_(stream, head.rawValue, ZLIB_VERSION, size) == Z_OK
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Reads the first bytes of `input`, and removes them from it.
    func step(_ input: inout ArraySlice<UInt8>) -> Step {
        guard isReady else { return .broken }
        let offered = input.prefix(Self.readByteCount)
        var code = Z_OK
        var isFull = false
        let output = unsafe [UInt8](unsafeUninitializedCapacity: Self.writtenByteCount) { buffer, count in
            unsafe offered.withUnsafeBufferPointer { source in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(source.count)
                unsafe stream.pointee.next_out = buffer.baseAddress
                unsafe stream.pointee.avail_out = UInt32(Self.writtenByteCount)
                code = unsafe inflate(stream, Z_NO_FLUSH)
                unsafe stream.pointee.next_in = nil
            }
            let free = unsafe Int(stream.pointee.avail_out)
            (count, isFull) = (Self.writtenByteCount - free, free == 0)
        }
        let readCount = unsafe offered.count - Int(stream.pointee.avail_in)
        input = input.dropFirst(readCount)
        switch code {
        case Z_STREAM_END: return .ended(output)
        case Z_OK, Z_BUF_ERROR:
            if readCount > 0 || isFull || !output.isEmpty { return .bytes(output) }
            return offered.isEmpty ? .needsInput : .broken
        default: return .broken
        }
    }
}
