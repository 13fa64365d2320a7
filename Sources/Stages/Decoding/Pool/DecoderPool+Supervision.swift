import Base
import DecoderWire
import Glibc
package import Media
import Sandbox
import Synchronization

extension DecoderPool {
    private enum ZygoteEnd: Sendable {
        /// The zygote must be replaced: a decoder process crashed.
        case retired
        case ended(gotReady: Bool)
    }

    /// Keeps a zygote alive until the task is cancelled.
    func supervise() async {
        await withDiscardingTaskGroup { group in
            var backOff = BackOff(first: .milliseconds(100), longest: .seconds(10))
            while !Task.isCancelled {
                do throws(SystemError) {
                    let zygote = try startZygote()
                    let (ends, end) = AsyncStream.makeStream(of: ZygoteEnd.self)
                    group.addTask { await self.serve(zygote) { end.yield($0) } }
                    switch await ends.first(where: { _ in true }) {
                    case .retired:
                        configuration.recorder.record(.zygoteReplaced)
                        continue
                    case .ended(gotReady: true): backOff.succeeded()
                    case .ended, nil: break
                    }
                } catch {
                    configuration.recorder.record(.zygoteMissing(error.description))
                }
                guard !Task.isCancelled else { break }
                // Two failures in a row are not bad luck.
                if backOff.failures >= 2 {
                    let message =
                        "The decoder program does not start, or its processes do not become ready. Run attachd doctor."
                    refuse(AttachmentFailure(.decode, .decoderUnavailable, message))
                }
                let pause = backOff.next()
                try? await time.sleep(for: backOff.failures == 1 ? .zero : pause)
            }
        }
    }

    /// Serves a zygote until it is gone, and calls `report` when it is replaced or gone.
    ///
    /// A replaced zygote lives on until the last of its processes with a job is gone. A zygote that breaks the
    /// protocol, or forks processes that never become ready, is ended too.
    private func serve(_ zygote: ZygoteProcess, _ report: @Sendable (ZygoteEnd) -> Void) async {
        let (refills, refill) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { $0.zygoteStarted(pid: Int(zygote.pid), refill: refill) }
        refill.yield()
        await withTaskGroup { group in
            group.addTask { await self.listen(to: zygote, number) }
            group.addTask { await self.fork(from: zygote, number, refills) }
            await group.next()
            let (isRetired, isDrained) = state.withLock {
                ($0.isRetired(zygote: number), $0.isDrained(zygote: number))
            }
            if isRetired { report(.retired) }
            if isRetired && !isDrained { await group.next() }
            group.cancelAll()
        }
        let ending = await zygote.end()
        report(.ended(gotReady: state.withLock { $0.zygoteEnded(number) }))
        configuration.recorder.record(.zygoteEnded(ending))
        // Replacements that waited because too many zygotes lived on may be due now.
        settle()
    }

    private func listen(to zygote: ZygoteProcess, _ zygoteNumber: Int) async {
        while let received = try? await zygote.reports.next(descriptorLimit: 1) {
            let process = received.descriptors.first.map { ProcessHandle(adopting: $0) }
            switch received.message {
            case .ready: configuration.recorder.record(.zygoteReady(pid: Int(zygote.pid)))
            case .spawned(let number, let pid):
                guard let process else { return }
                state.withLock { $0.forked(number, pid: pid, process: process, zygote: zygoteNumber) }
            case .couldNotSpawn(let number, _):
                _ = state.withLock { $0.ended(number) }
            case .exited(let number, let ending, let usage):
                let pid = state.withLock { $0.ended(number, ending) }
                if let pid { configuration.recorder.record(.childReaped(pid: pid, usage)) }
                // The pool itself kills with SIGKILL, whether the job is done or not.
                if let pid, ending != .exited(status: 0), ending != .killed(signal: Int(SIGKILL)) {
                    configuration.recorder.record(.childEnded(pid: pid, ending))
                }
            }
            settle()
            if state.withLock({ $0.isDrained(zygote: zygoteNumber) }) { return }
        }
    }

    /// Forks processes whenever there are too few. Returns when too many do not become ready.
    private func fork(from zygote: ZygoteProcess, _ zygoteNumber: Int, _ refills: AsyncStream<Void>) async {
        await withDiscardingTaskGroup { group in
            for await _ in refills {
                while let number = state.withLock({ $0.claimStart(from: zygoteNumber) }) {
                    group.addTask { await self.prepare(number, with: zygote, zygoteNumber) }
                }
            }
            group.cancelAll()
        }
    }

    /// Forks one process, and waits until it is locked down.
    private func prepare(_ number: Int, with zygote: ZygoteProcess, _ zygoteNumber: Int) async {
        do throws(SystemError) {
            let line = try openLine(of: number, from: zygote)
            let first = await firstMessage(on: line)
            if case .triedForbiddenCall(let call) = first {
                configuration.recorder.record(.forbiddenCall(pid: nil, SystemCallName.name(of: call)))
            }
            state.withLock { state in
                if case .ready(var sandbox) = first {
                    sandbox[.controlGroup] = zygote.groupState
                    state.ready(number, sandbox, zygote: zygoteNumber)
                } else {
                    state.couldNotStart(number)
                }
            }
        } catch {
            // The worker is out of descriptors, or the zygote is gone. Neither improves at once.
            try? await time.sleep(for: .milliseconds(100))
            state.withLock { $0.abandonStart(number) }
        }
        settle()
    }

    /// Returns the first message, or `nil` if the process ends or stays silent for longer than it may take to become
    /// ready.
    private func firstMessage(on line: PacketSocket) async -> DecoderMessage? {
        await withTaskGroup(of: DecoderMessage?.self) { group in
            group.addTask {
                try? await MessageStream<DecoderMessage>(socket: line, watcher: self.watcher).next()?.message
            }
            group.addTask {
                try? await self.time.sleep(for: self.configuration.startLimit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Opens a line to the process and returns the pool's end. The other end is closed here, so that the pool notices
    /// when the process closes it.
    private func openLine(of number: Int, from zygote: ZygoteProcess) throws(SystemError) -> PacketSocket {
        let (ours, theirs) = try PacketSocket.pair()
        state.withLock { $0.begin(number, line: ours) }
        try zygote.spawn(number, configuration.limits, socket: theirs)
        return ours
    }
}

// MARK: - Formats

/// The formats and codecs that are switched off.
extension DecoderPool {
    package var disabled: DisabledFormats { configuration.formats.disabled }

    /// Returns the failure of every source of `format` if it is switched off, and `nil` otherwise. Records a refusal.
    package func refusal(of format: MediaFormat) -> AttachmentFailure? {
        guard disabled.refuses(format) else { return nil }
        recordRefusal(of: format)
        return .disabled(format)
    }

    func recordRefusal(of format: MediaFormat) { configuration.recorder.record(.formatRefused(format)) }

    /// Ends the decoder processes of sources that may have something that is switched off from now on. Their jobs begin
    /// again, and find out.
    func followFormats() {
        configuration.formats.onChange { [runningFormats, recorder = configuration.recorder] change in
            recorder.record(.formatsChanged(change))
            for format in runningFormats.stop(change.switchedOff) { recorder.record(.formatStopped(format)) }
        }
    }
}

/// The jobs that have a decoder process, with the formats of their sources, so that a format that is switched off has no
/// decoder process any more.
final class RunningFormats: Sendable {
    private struct Entry {
        var format: MediaFormat
        var process: ProcessHandle
        var isStopped = false
    }

    private let entries = Mutex<[Int: Entry]>([:])

    /// Records that a job has a process. After that, the job reads which formats are off: a change is either seen by the
    /// job, or sees the job.
    func begin(_ id: Int, _ format: MediaFormat, _ process: ProcessHandle) {
        entries.withLock { $0[id] = Entry(format: format, process: process) }
    }

    /// Removes a job. Returns whether its process was stopped.
    @discardableResult
    func end(_ id: Int) -> Bool { entries.withLock { $0.removeValue(forKey: id)?.isStopped ?? false } }

    /// The formats of the sources that have a decoder process and may keep it.
    var formats: [MediaFormat] { entries.withLock { $0.values.filter { !$0.isStopped }.map(\.format) } }

    func isStopped(_ id: Int) -> Bool { entries.withLock { $0[id]?.isStopped ?? false } }

    /// Kills the processes whose sources may have something of `disabled`. Returns their formats.
    func stop(_ disabled: DisabledFormats) -> [MediaFormat] {
        entries.withLock { entries in
            var formats: [MediaFormat] = []
            for (id, entry) in entries where !entry.isStopped && disabled.mayConcern(entry.format) {
                entries[id]?.isStopped = true
                entry.process.kill()
                formats.append(entry.format)
            }
            return formats
        }
    }
}
