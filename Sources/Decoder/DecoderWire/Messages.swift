package import Media

/// A message from the worker to a decoder process.
package enum WorkerMessage: Sendable, Equatable {
    /// The only job of this process. The message carries the source's descriptor and then `outputs` output descriptors
    /// of `outputCapacity` bytes each.
    case transform(ConversionRequest, source: SourceProgress, outputs: Int, outputCapacity: Int)
    /// The bytes of this range have arrived. The range begins where the requested one does, and is empty if the source
    /// ends before it. `size` is the size of the source, if known.
    case have(Range<Int>, size: Int?)
    /// The memory for decoding the source is available. The process may begin.
    case proceed
    /// The source has ended: no more bytes follow.
    case endsHere(SourceProgress)
    /// Time is nearly up: the process must finish the current output and stop.
    case timeWillExpire
}

/// The progress of the source's download.
package struct SourceProgress: Sendable, Equatable {
    package var present: ByteRanges
    /// The size of the source in bytes, if known.
    package var size: Int?
    /// A Boolean value that indicates whether the source has ended: no more bytes follow.
    package var isEnded: Bool
    /// A Boolean value that indicates whether the source ended before its last byte.
    package var isCut: Bool

    package init(present: ByteRanges, size: Int? = nil, isEnded: Bool = false, isCut: Bool = false) {
        self.present = present
        self.size = size
        self.isEnded = isEnded
        self.isCut = isCut
    }
}

/// A message from a decoder process to the worker. The worker checks all of it before it acts on it.
package enum DecoderMessage: Sendable, Equatable {
    /// The process has warmed up, has given up its rights, and waits for its job.
    case ready(SandboxReport)
    /// The job has arrived. If the process dies from now on, the source may be the cause.
    case began
    /// The process waits for the bytes of this range, as far as the source has them. Now or soon afterwards it needs
    /// the next `ahead` bytes too.
    case need(Range<Int>, ahead: Int)
    /// The source's header has been read. Decoding needs about `memoryBytes`, and begins when the worker allows it.
    case source(SourceReport, memoryBytes: Int = 0)
    /// An output is complete, in the output descriptor at index `output`.
    case rung(RungReport, output: Int)
    /// The thumbnail is complete, in the output descriptor at index `output`.
    case thumbnail(byteCount: Int, output: Int)
    /// The job is done: no better rung follows.
    case done
    case failed(AttachmentFailure.Reason, FailureCause? = nil)
    /// The process tried a system call with this number, which the filter forbids, and dies. The handler of the signal sends
    /// it (`CProcess`), and a process that an attacker has taken over may send any number.
    case triedForbiddenCall(Int)
}

// MARK: - Messages on the wire

extension WorkerMessage: WireMessage {
    package var packet: [UInt8] {
        switch self {
        case .transform(let request, let source, let outputs, let outputCapacity):
            WireWriter.packet(1, request, source, outputs, outputCapacity)
        case .have(let range, let size): WireWriter.packet(2, range, size)
        case .endsHere(let source): WireWriter.packet(3, source)
        case .timeWillExpire: WireWriter.packet(4)
        case .proceed: WireWriter.packet(5)
        }
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1:
            self = try .transform(
                reader.read(),
                source: reader.read(),
                outputs: reader.read(),
                outputCapacity: reader.read(),
            )
        case 2: self = try .have(reader.read(), size: reader.read())
        case 3: self = try .endsHere(reader.read())
        case 4: self = .timeWillExpire
        case 5: self = .proceed
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension DecoderMessage: WireMessage {
    package var packet: [UInt8] {
        switch self {
        case .ready(let report): WireWriter.packet(1, report)
        case .need(let range, let ahead): WireWriter.packet(2, range, ahead)
        case .source(let report, let memoryBytes): WireWriter.packet(3, report, memoryBytes)
        case .rung(let report, let output): WireWriter.packet(4, report, output)
        case .done: WireWriter.packet(5)
        case .failed(let reason, let cause): WireWriter.packet(6, reason, cause)
        case .began: WireWriter.packet(7)
        case .thumbnail(let byteCount, let output): WireWriter.packet(8, byteCount, output)
        case .triedForbiddenCall(let number): WireWriter.packet(9, number)
        }
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = try .ready(reader.read())
        case 2: self = try .need(reader.read(), ahead: reader.read())
        case 3: self = try .source(reader.read(), memoryBytes: reader.read())
        case 4: self = try .rung(reader.read(), output: reader.read())
        case 5: self = .done
        case 6: self = try .failed(reader.read(), reader.read())
        case 7: self = .began
        case 8: self = try .thumbnail(byteCount: reader.read(), output: reader.read())
        case 9: self = try .triedForbiddenCall(reader.read())
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension AttachmentFailure.Reason: WireValue {}
extension FailureCause: WireValue {}

// MARK: - Progress

extension Wire {
    /// The most ranges of a source in one message. Later ranges are left out, as if their bytes had not arrived.
    package static let rangeLimit = 64
}

extension SourceProgress: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(list: present.ranges.prefix(Wire.rangeLimit))
        writer.put(size, isEnded, isCut)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        let ranges: [Range<Int>] = try reader.list(upTo: Wire.rangeLimit)
        let present = ByteRanges(ranges)
        // Rejects any other encoding: only our decoder sends this message.
        guard present.ranges == ranges else { throw .invalidValue }
        try self.init(present: present, size: reader.read(), isEnded: reader.read(), isCut: reader.read())
    }
}

// MARK: - Reports

extension SourceReport: WireValue {
    func put(in writer: inout WireWriter) { writer.put(width, height, frames, durationMilliseconds) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            width: reader.read(),
            height: reader.read(),
            frames: reader.read(),
            durationMilliseconds: reader.read(),
        )
    }
}

extension RungReport: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(rung, format, byteCount, width, height, frames, durationMilliseconds, focus, inline, account)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            rung: reader.read(),
            format: reader.read(),
            byteCount: reader.read(),
            width: reader.read(),
            height: reader.read(),
            frames: reader.read(),
            durationMilliseconds: reader.read(),
            focus: reader.read(),
            inline: reader.read(),
            account: reader.read(),
        )
    }
}

extension ClipAccount: WireValue {
    func put(in writer: inout WireWriter) { writer.put(video, sound, declaredMilliseconds, endsEarly) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            video: reader.read(),
            sound: reader.read(),
            declaredMilliseconds: reader.read(),
            endsEarly: reader.read(),
        )
    }
}

extension ClipAccount.Stream: WireValue {
    func put(in writer: inout WireWriter) { writer.put(packets, packetMilliseconds, stepMilliseconds) }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(packets: reader.read(), packetMilliseconds: reader.read(), stepMilliseconds: reader.read())
    }
}

extension InlinePicture: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(thumbHash, format)
        writer.put(list: pictures)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        try self.init(
            thumbHash: reader.read(),
            format: reader.read(),
            pictures: reader.list(upTo: Self.pictureLimit),
        )
    }
}

extension Rung: WireValue {}
extension OutputFormat: WireValue {}
