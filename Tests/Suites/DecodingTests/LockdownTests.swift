import DecoderWire
import Decoding
import Glibc
import Media
import Support
import Testing

/// Tests of decoder processes that try to do more than decode.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct LockdownTests {
    // S2, S6 (ftruncate), S9, S11 (executable memory).
    @Test(
        "the system-call filter kills a decoder process that tries it",
        arguments: [
            "socket", "connect", "sendto", "execve", "fork", "ptrace", "kill its parent", "tgkill another",
            "kill itself", "pidfd_open",
            "process_vm_readv", "io_uring_setup", "userfaultfd", "bpf", "keyctl", "perf_event_open", "memfd_create",
            "executable mmap", "executable mprotect", "unshare", "setns", "mount", "chroot", "setuid",
            "lift its limits",
            "dumpable again", "another filter", "ftruncate", "fcntl", "dup", "pipe", "rename", "x32 write",
        ],
    )
    func fatal(call: String) async throws { try await expectDeath(of: call, signal: SIGSYS) }

    @Test(
        "S9: the worker learns which system call a decoder process tried, and the call is not made",
        arguments: [
            ("socket", "socket"), ("execve", "execve"), ("fork", "clone"), ("kill its parent", "kill"),
            ("kill itself", "tgkill"), ("executable mmap", "mmap"), ("executable mprotect", "mprotect"),
            ("lift its limits", "prlimit64"), ("another filter", "prctl"), ("rename", "renameat2"), ("dup", "dup"),
        ],
    )
    func named(call: String, name: String) async throws {
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("evil-decoder", recorder: events) { pool in
            let conversion = try await pool.convert(call)
            let failure = try #require(conversion.failure)
            #expect(failure.reason == .decoderDied && failure.message.contains(" \(name),"), "\(failure.message)")
            // The process would have described the kernel's answer to the call.
            #expect(conversion.source == nil)
            try await pool.settles()
            let names = Self.calls(in: events)
            #expect(names == [name])
            let endings = Self.endings(in: events)
            #expect(endings == [.killed(signal: Int(SIGSYS))])
        }
    }

    @Test(
        "S9: a decoder process that blocks the signal, or a call of another architecture, ends without a name",
        arguments: ["socket with SIGSYS blocked", "x32 write"],
    )
    func unnamed(call: String) async throws {
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("evil-decoder", recorder: events) { pool in
            let conversion = try await pool.convert(call)
            #expect(conversion.failure == Self.died && conversion.source == nil)
            try await pool.settles()
            #expect(Self.endings(in: events) == [.killed(signal: Int(SIGSYS))])
            #expect(Self.calls(in: events) == [])
        }
    }

    /// The names of the forbidden calls that were recorded.
    private static func calls(in events: RecordedEvents<DecoderEvent>) -> [String] {
        events.events.compactMap { event -> String? in
            if case .forbiddenCall(_, let name) = event { name } else { nil }
        }
    }

    /// The ends of the processes that did not end by the pool's doing.
    private static func endings(in events: RecordedEvents<DecoderEvent>) -> [ProcessEnding] {
        events.events.compactMap { event -> ProcessEnding? in
            if case .childEnded(_, let ending) = event { ending } else { nil }
        }
    }

    private static let died = AttachmentFailure(
        .decode,
        .decoderDied,
        "The source crashed its decoder process. Other sources have processes of their own.",
    )

    @Test(
        "S9: a decoder process that claims a forbidden call and goes on is killed",
        arguments: [(41, "socket"), (9999, "unknown")]
    )
    func claimed(number: Int, name: String) async throws {
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("evil-decoder", recorder: events) { pool in
            let conversion = try await pool.convert("claim the forbidden call \(number)")
            #expect(conversion.failure?.reason == .decoderDied)
            try await pool.settles()
            let names = Self.calls(in: events)
            #expect(names == [name])
        }
    }

    @Test("S5: a decoder process that writes past its file-size limit is killed")
    func fileSize() async throws { try await expectDeath(of: "write past the limit", signal: SIGXFSZ) }

    // S2.
    @Test(
        "the kernel refuses a decoder process",
        arguments: [
            ("open", EACCES), ("open for writing", EACCES), ("openat2", EACCES), ("open its environment", EACCES),
            ("readlink", EACCES), ("unlink", EACCES), ("statx", ENOSYS), ("clone3", ENOSYS), ("ioctl", ENOTTY),
            ("sysinfo", EPERM),
        ],
    )
    func refused(call: String, code: Int32) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert(call)
            #expect(conversion.source?.frames == Int(code))
            #expect(conversion.failure?.reason == .unsupportedFormat)
        }
    }

    @Test("S2: the layers that every Linux has are on, and each other layer is on or gives a reason")
    func report() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            try await pool.settles()
            let sandbox = try #require(pool.status.sandbox)
            let everywhere: [SandboxLayer] = [
                .noNewPrivileges, .notDumpable, .noCapabilities, .resourceLimits, .parentDeathSignal, .systemCallFilter,
            ]
            for layer in everywhere { #expect(sandbox[layer] == .on, "\(layer)") }
            for layer in SandboxLayer.allCases { #expect(sandbox[layer] != .off, "\(layer)") }
        }
    }

    @Test("S3: where the host allows it, a process without the system-call filter still has no files and no network")
    func withoutFilter() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("tell what was open before the filter")
            let sandbox = try #require(pool.status.sandbox)
            if sandbox[.landlock] == .on { #expect(conversion.source?.frames == Int(EACCES)) }
            if sandbox[.emptyNetwork] == .on { #expect(conversion.source?.durationMilliseconds == Int(ENETUNREACH)) }
        }
    }

    private func expectDeath(of call: String, signal: Int32) async throws {
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("evil-decoder", recorder: events) { pool in
            let conversion = try await pool.convert(call)
            try #require(conversion.failure?.reason == .decoderDied)
            #expect(conversion.source == nil)
            try await pool.settles()
            let ending = await events.first { event -> ProcessEnding? in
                if case .childEnded(_, let ending) = event { ending } else { nil }
            }
            #expect(ending == .killed(signal: Int(signal)))
        }
    }
}
