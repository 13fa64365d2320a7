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
        var writer = WireWriter()
        switch self {
        case .transform(let request, let source, let outputs, let outputCapacity):
            writer.put(UInt8(1))
            writer.put(request)
            writer.put(source)
            writer.put(outputs)
            writer.put(outputCapacity)
        case .have(let range, let size):
            writer.put(UInt8(2))
            writer.put(range)
            writer.put(size)
        case .endsHere(let source):
            writer.put(UInt8(3))
            writer.put(source)
        case .timeWillExpire:
            writer.put(UInt8(4))
        case .proceed:
            writer.put(UInt8(5))
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1:
            self = .transform(
                try reader.conversionRequest(),
                source: try reader.sourceProgress(),
                outputs: try reader.count(),
                outputCapacity: try reader.count(),
            )
        case 2: self = .have(try reader.range(), size: try reader.optionalCount())
        case 3: self = .endsHere(try reader.sourceProgress())
        case 4: self = .timeWillExpire
        case 5: self = .proceed
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

extension DecoderMessage: WireMessage {
    package var packet: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .ready(let report):
            writer.put(UInt8(1))
            writer.put(report)
        case .need(let range, let ahead):
            writer.put(UInt8(2))
            writer.put(range)
            writer.put(ahead)
        case .source(let report, let memoryBytes):
            writer.put(UInt8(3))
            writer.put(report)
            writer.put(memoryBytes)
        case .rung(let report, let output):
            writer.put(UInt8(4))
            writer.put(report)
            writer.put(output)
        case .done:
            writer.put(UInt8(5))
        case .failed(let reason, let cause):
            writer.put(UInt8(6))
            writer.put(case: reason)
            writer.put(cause != nil)
            if let cause { writer.put(case: cause) }
        case .began:
            writer.put(UInt8(7))
        case .thumbnail(let byteCount, let output):
            writer.put(UInt8(8))
            writer.put(byteCount)
            writer.put(output)
        case .triedForbiddenCall(let number):
            writer.put(UInt8(9))
            writer.put(number)
        }
        return writer.bytes
    }

    package init(packet: [UInt8]) throws(WireError) {
        var reader = WireReader(packet)
        switch try reader.byte() {
        case 1: self = .ready(try reader.sandboxReport())
        case 2: self = .need(try reader.range(), ahead: try reader.count())
        case 3: self = .source(try reader.sourceReport(), memoryBytes: try reader.count())
        case 4: self = .rung(try reader.rungReport(), output: try reader.count())
        case 5: self = .done
        case 6:
            let reason = try reader.case(of: AttachmentFailure.Reason.self)
            self = .failed(reason, try reader.flag() ? reader.case(of: FailureCause.self) : nil)
        case 7: self = .began
        case 8: self = .thumbnail(byteCount: try reader.count(), output: try reader.count())
        case 9: self = .triedForbiddenCall(try reader.count())
        case let other: throw .unknownCase(other)
        }
        try reader.end()
    }
}

// MARK: - Progress

extension Wire {
    /// The most ranges of a source in one message. Later ranges are left out, as if their bytes had not arrived.
    package static let rangeLimit = 64
}

extension WireWriter {
    mutating func put(_ range: Range<Int>) {
        put(range.lowerBound)
        put(range.upperBound)
    }

    mutating func put(_ source: SourceProgress) {
        let ranges = source.present.ranges.prefix(Wire.rangeLimit)
        put(UInt8(truncatingIfNeeded: ranges.count))
        for range in ranges { put(range) }
        put(source.size)
        put(source.isEnded)
        put(source.isCut)
    }
}

extension WireReader {
    mutating func range() throws(WireError) -> Range<Int> {
        let (start, end) = (try count(), try count())
        guard start <= end else { throw .invalidValue }
        return start..<end
    }

    mutating func sourceProgress() throws(WireError) -> SourceProgress {
        let count = Int(try byte())
        guard count <= Wire.rangeLimit else { throw .invalidValue }
        var ranges: [Range<Int>] = []
        for _ in 0..<count { ranges.append(try range()) }
        let present = ByteRanges(ranges)
        // Rejects any other encoding: only our decoder sends this message.
        guard present.ranges == ranges else { throw .invalidValue }
        return SourceProgress(
            present: present,
            size: try optionalCount(),
            isEnded: try flag(),
            isCut: try flag(),
        )
    }
}

// MARK: - Reports

extension WireWriter {
    mutating func put(_ report: SourceReport) {
        put(report.width)
        put(report.height)
        put(report.frames)
        put(report.durationMilliseconds)
    }

    mutating func put(_ report: RungReport) {
        put(case: report.rung)
        put(case: report.format)
        put(report.byteCount)
        put(report.width)
        put(report.height)
        put(report.frames)
        put(report.durationMilliseconds)
        put(report.focus)
        put(report.account != nil)
        if let account = report.account { put(account) }
        put(report.inline != nil)
        guard let inline = report.inline else { return }
        put(case: inline.format)
        put(inline.thumbHash)
        put(inline.pictures.count)
        for picture in inline.pictures { put(picture) }
    }

    private mutating func put(_ account: ClipAccount) {
        for stream in [account.video, account.sound] {
            put(stream != nil)
            guard let stream else { continue }
            put(stream.packets)
            put(stream.packetMilliseconds)
            put(stream.stepMilliseconds)
        }
        put(account.declaredMilliseconds)
        put(account.endsEarly)
    }
}

extension WireReader {
    mutating func sourceReport() throws(WireError) -> SourceReport {
        SourceReport(
            width: try optionalCount(),
            height: try optionalCount(),
            frames: try optionalCount(),
            durationMilliseconds: try optionalCount(),
        )
    }

    mutating func rungReport() throws(WireError) -> RungReport {
        var report = RungReport(
            rung: try `case`(of: Rung.self),
            format: try `case`(of: OutputFormat.self),
            byteCount: try count(),
            width: try optionalCount(),
            height: try optionalCount(),
            frames: try optionalCount(),
            durationMilliseconds: try optionalCount(),
            focus: try optionalFocalPoint(),
        )
        if try flag() { report.account = try clipAccount() }
        if try flag() { report.inline = try inlinePicture() }
        return report
    }

    private mutating func clipAccount() throws(WireError) -> ClipAccount {
        ClipAccount(
            video: try flag() ? streamAccount() : nil,
            sound: try flag() ? streamAccount() : nil,
            declaredMilliseconds: try optionalCount(),
            endsEarly: try flag(),
        )
    }

    private mutating func streamAccount() throws(WireError) -> ClipAccount.Stream {
        ClipAccount.Stream(
            packets: try count(),
            packetMilliseconds: try count(),
            stepMilliseconds: try count(),
        )
    }

    private mutating func inlinePicture() throws(WireError) -> InlinePicture {
        let format = try `case`(of: OutputFormat.self)
        let hash = try data()
        let count = try count()
        guard count <= InlinePicture.pictureLimit else { throw .invalidValue }
        var pictures: [[UInt8]] = []
        for _ in 0..<count { pictures.append(try data()) }
        return InlinePicture(thumbHash: hash, format: format, pictures: pictures)
    }
}
