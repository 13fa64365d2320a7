import Base
import CForbiddenCalls
import DecoderWire
import Glibc
import Media
import Sandbox
import Synchronization

/// One process that obeys its source.
struct EvilProcess {
    let line: PacketSocket
    private let heldDescriptors: Int
    /// The kernel's answer before the system-call filter was on; 0 is success.
    private let openCode: Int
    private let connectCode: Int

    init(line: PacketSocket, lockDown: () -> SandboxReport) {
        self.line = line
        heldDescriptors = (0..<Int32(1024)).count { fcntl($0, F_GETFD) != -1 }
        openCode = Int(Self.openRoot())
        connectCode = Int(Self.connectToThisHost())
        say(.ready(lockDown()))
    }

    private static func openRoot() -> Int32 { unsafe open("/", O_RDONLY) >= 0 ? 0 : errno }

    private static func connectToThisHost() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = 9
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, size) == 0 ? 0 : errno
            }
        }
    }

    func run() {
        guard let packet = try? line.receive(descriptorLimit: 8, waits: true),
            case .transform(_, let source, _, let capacity) = try? WorkerMessage(packet: packet.bytes)
        else { return }
        say(.began)
        let job = Job(
            source: packet.descriptors[0],
            outputs: Array(packet.descriptors.dropFirst()),
            capacity: capacity,
            byteCount: source.present.prefixCount,
            isEnded: source.isEnded,
        )
        apply(job.order, job)
    }

    private struct Job {
        var source: Int32
        var outputs: [Int32]
        var capacity: Int
        var byteCount: Int
        var isEnded: Bool

        var bytes: [UInt8] {
            unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
                filled = max(0, unsafe pread(source, buffer.baseAddress, byteCount, 0))
            }
        }
        /// The first line, after the bytes that make it look like a JPEG.
        var order: String { String(decoding: bytes.prefix { $0 != 10 }.drop { $0 >= 0x80 }, as: UTF8.self) }
        /// The bytes after the first line.
        var picture: [UInt8] { Array(bytes.drop { $0 != 10 }.dropFirst()) }
    }

    private func apply(_ order: String, _ job: Job) {
        switch order {
        case "hang": while true { _ = try? line.receive(waits: true) }
        case "spin": while true {}
        case "spin with a thread that waits for it": spinBesideDeadlock()
        case "crash": abort()
        case "crash by a bad access": crashByBadAccess()
        case "crash by a system call": _ = unsafe forbidden_call("socket", job.outputs[0])
        case "leave": _exit(0)
        case "leave with a status": _exit(3)
        case "close its line and go on":
            close(0)
            while true {}
        case "kill itself": _ = unsafe forbidden_call("kill itself", job.outputs[0])
        case "start threads": startThreads()
        case "tell its layout": tellLayout()
        case "remember": remember()
        case "eat memory": eatMemory()
        case "write to every descriptor": for descriptor in Int32(0)..<16 { _ = unsafe write(descriptor, "x", 1) }
        case "count descriptors":
            say(.source(SourceReport(frames: heldDescriptors)))
            say(.failed(.unsupportedFormat))
        case "tell what was open before the filter":
            say(.source(SourceReport(frames: openCode, durationMilliseconds: connectCode)))
            say(.failed(.unsupportedFormat))
        case "finish at once": say(.done)
        case "claim a network failure": say(.failed(.httpStatus))
        case "be ready twice": say(.ready(SandboxReport()))
        case "describe twice": for _ in 0..<2 { say(.source(SourceReport())) }
        case "ask for what it has": say(.need(0..<job.byteCount, ahead: 0))
        case "flood": while true { say(.need(0..<Int.max, ahead: 0)) }
        case "send garbage": send(Garbage(packet: [99, 1, 2, 3]))
        case "send too much": send(Garbage(packet: [UInt8](repeating: 1, count: Wire.packetLimit + 1)))
        case "send descriptors": send(Garbage(packet: DecoderMessage.done.packet), descriptors: [0, 1, 2])
        case "be good", "change it later", "fill it twice", "fill another", "say it is larger", "say it is nothing",
            "say it is PNG", "say it is wider", "say it is beyond its file":
            emit(job, order)
            say(.done)
        case "claim too much memory": say(.source(SourceReport(width: 8, height: 8), memoryBytes: .max))
        case "claim all memory and hang":
            say(.source(SourceReport(width: 8, height: 8), memoryBytes: 2_000_000_000))
            while true { _ = try? line.receive(waits: true) }
        case "claim memory and wait": claimAndWait(job)
        case let order where order.hasPrefix("describe "): describe(order)
        case let order where order.hasPrefix("claim the forbidden call "):
            say(.triedForbiddenCall(order.split(separator: " ").last.flatMap { Int($0) } ?? 0))
        case let order where order.hasPrefix("make "): make(order, job)
        case let order where order.hasPrefix("clip "): makeClip(order, job)
        case "shrink the file while it is read": shrink(job)
        case "wait for the end": waitForEnd(job)
        case "wait for time to be up": waitForExpiry()
        default:
            // The kernel's answer to a call is reported as a width.
            let outcome = unsafe forbidden_call(order, job.outputs[0])
            say(.source(SourceReport(frames: Int(max(0, outcome)))))
            say(.failed(.unsupportedFormat))
        }
        while (try? line.receive(waits: true)) ?? nil != nil {}
    }

    private func emit(_ job: Job, _ order: String = "be good") {
        let picture = job.picture
        let output = job.outputs[0]
        _ = unsafe pwrite(output, picture, picture.count, 0)
        var report = RungReport(rung: .downscaled, format: .jpeg, byteCount: picture.count)
        switch order {
        case "say it is larger": report.byteCount += 1
        case "say it is nothing": report.byteCount = 0
        case "say it is PNG": report.format = .png
        case "say it is wider": report.width = 1000
        case "say it is beyond its file": report.byteCount = job.capacity + 1
        default: break
        }
        say(.rung(report, output: order == "fill another" ? job.outputs.count : 0))
        if order == "fill it twice" { say(.rung(report, output: 0)) }
        if order == "change it later" {
            // The process learns the time when the result is emitted.
            _ = try? line.receive(waits: true)
            _ = unsafe pwrite(output, [UInt8](repeating: 0, count: picture.count), picture.count, 0)
        }
    }

    /// Asks for memory, then for one byte more than there is, and emits its picture when the source has ended.
    private func claimAndWait(_ job: Job) {
        say(.source(SourceReport(width: 8, height: 8), memoryBytes: 30_000_000))
        _ = try? line.receive(waits: true)
        var (byteCount, isEnded) = (job.byteCount, job.isEnded)
        while !isEnded {
            say(.need(byteCount..<byteCount + 1, ahead: 0))
            guard let packet = try? line.receive(waits: true) else { _exit(1) }
            switch try? WorkerMessage(packet: packet.bytes) {
            case .have(let range, _): byteCount = range.upperBound
            case .endsHere: isEnded = true
            default: _exit(1)
            }
        }
        emit(job)
        say(.done)
    }

    /// Obeys `describe WIDTH HEIGHT FRAMES MILLISECONDS`, with `-` for a value to leave out.
    private func describe(_ order: String) {
        let numbers = Self.numbers(in: order)
        let report = SourceReport(
            width: numbers[0],
            height: numbers[1],
            frames: numbers[2],
            durationMilliseconds: numbers[3],
        )
        say(.source(report))
        say(.failed(.unsupportedFormat))
    }

    /// Obeys `make WIDTH HEIGHT FRAMES MILLISECONDS BYTES`, with a picture that has none of these values.
    private func make(_ order: String, _ job: Job) {
        let numbers = Self.numbers(in: order)
        let picture = job.picture
        _ = unsafe pwrite(job.outputs[0], picture, picture.count, 0)
        let report = RungReport(
            rung: .downscaled,
            format: .jpeg,
            byteCount: numbers[4] ?? picture.count,
            width: numbers[0],
            height: numbers[1],
            frames: numbers[2],
            durationMilliseconds: numbers[3],
        )
        say(.rung(report, output: 0))
        say(.done)
    }

    /// Obeys `clip WIDTH HEIGHT MILLISECONDS PACKETS MILLISECONDS`, with an account of that many packets and that time; `-`
    /// gives none.
    private func makeClip(_ order: String, _ job: Job) {
        let numbers = Self.numbers(in: order)
        let clip = job.picture
        _ = unsafe pwrite(job.outputs[0], clip, clip.count, 0)
        let account = numbers[3].map { packets in
            let milliseconds = numbers[4] ?? 0
            return ClipAccount(
                video: ClipAccount.Stream(
                    packets: packets,
                    packetMilliseconds: milliseconds,
                    stepMilliseconds: milliseconds,
                )
            )
        }
        let report = RungReport(
            rung: .transcoded,
            format: .mp4,
            byteCount: clip.count,
            width: numbers[0],
            height: numbers[1],
            durationMilliseconds: numbers[2],
            account: account,
        )
        say(.rung(report, output: 0))
        say(.done)
    }

    private static func numbers(in order: String) -> [Int?] {
        order.split(separator: " ").dropFirst().map { $0 == "max" ? .max : Int($0) }
    }

    /// Reports a picture and truncates it under the reader. The filter kills the process for that.
    private func shrink(_ job: Job) {
        emit(job)
        _ = unsafe forbidden_call("ftruncate", job.outputs[0])
        say(.done)
    }

    /// Runs two threads, one of which waits for ever.
    private func spinBesideDeadlock() {
        var thread = pthread_t()
        unsafe pthread_create(&thread, nil, { _ in while true { sched_yield() } }, nil)
        pthread_join(thread, nil)
    }

    private func crashByBadAccess() {
        let nowhere = unsafe UnsafeMutablePointer<UInt8>(bitPattern: 8)
        unsafe nowhere?.pointee = 1
    }

    /// Starts as many threads as possible, and reports their number.
    private func startThreads() {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, 16_384)
        var count = 0
        var thread = pthread_t()
        let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            while true { nanosleepForever() }
        }
        while count < 20_000, unsafe pthread_create(&thread, &attributes, wait, nil) == 0 { count += 1 }
        say(.source(SourceReport(frames: count)))
        say(.failed(.resourceLimit))
    }

    /// Reports the address of the code, in pages. It is the same for all processes of one zygote.
    private func tellLayout() {
        let address = unsafe unsafeBitCast(
            forbidden_call as @convention(c) (UnsafePointer<CChar>?, Int32) -> Int32,
            to: Int.self
        )
        say(.source(SourceReport(durationMilliseconds: (address >> 12) % 30_000_000_000)))
        say(.failed(.unsupportedFormat))
    }

    /// Reports how often this process did so before.
    private func remember() {
        say(.source(SourceReport(frames: Self.memories.withLock { $0 })))
        Self.memories.withLock { $0 += 1 }
        say(.failed(.unsupportedFormat))
    }

    private static let memories = Mutex(0)

    private func eatMemory() {
        var eaten = 0
        while unsafe malloc(16 << 20) != nil { eaten += 16 }
        say(.source(SourceReport(frames: eaten)))
        say(.failed(.resourceLimit))
    }

    /// Emits its picture as a sign that it listens. At last reports the number of the source's bytes as the width, and
    /// as the height whether the source was truncated.
    private func waitForEnd(_ job: Job) {
        emit(job)
        var byteCount = job.byteCount
        while true {
            say(.need(byteCount..<byteCount + 1, ahead: 0))
            guard let packet = try? line.receive(waits: true) else { _exit(1) }
            switch try? WorkerMessage(packet: packet.bytes) {
            case .have(let range, _): byteCount = range.upperBound
            case .endsHere(let source):
                let isCut = source.isCut ? 1 : 0
                say(.source(SourceReport(frames: source.present.prefixCount, durationMilliseconds: isCut)))
                say(.failed(.corrupt))
                return
            default: _exit(1)
            }
        }
    }

    private func waitForExpiry() {
        while let packet = try? line.receive(waits: true) {
            if (try? WorkerMessage(packet: packet.bytes)) == .timeWillExpire { say(.failed(.timedOut)) }
        }
    }

    private func say(_ message: DecoderMessage) { send(message) }

    private func send(_ message: some WireMessage, descriptors: [Int32] = []) {
        do throws(SystemError) {
            try line.send(message, descriptors: descriptors)
        } catch {
            switch error.code {
            case EAGAIN: return
            // The limit on descriptors is so low that descriptors of other processes count against it.
            case ETOOMANYREFS: send(message, descriptors: descriptors)
            default: _exit(0)
            }
        }
    }
}

/// A packet of arbitrary bytes.
private struct Garbage: WireMessage {
    var packet: [UInt8]
}

private func nanosleepForever() {
    var long = timespec(tv_sec: 3600, tv_nsec: 0)
    unsafe nanosleep(&long, nil)
}
