import DecoderWire
import Glibc
import Media
import Sandbox
import Synchronization

extension DecoderPool {
    /// Keeps a zygote alive until the task is cancelled.
    func supervise() async {
        var backOff = BackOff(first: .milliseconds(100), longest: .seconds(10))
        while !Task.isCancelled {
            do throws(SystemError) {
                let zygote = try ZygoteProcess.start(configuration.decoderPath, watcher: watcher)
                await serve(zygote)
                let ending = await zygote.end()
                if state.withLock({ $0.zygoteEnded() }) { backOff.succeeded() }
                configuration.observe(.zygoteEnded(ending))
            } catch {
                configuration.observe(.zygoteMissing(error.description))
            }
            guard !Task.isCancelled else { return }
            // More often than bad luck explains.
            if backOff.failures >= 2 {
                let message = "The decoder program does not start, or its processes don't get ready."
                refuse(AttachmentFailure(.decode, .decoderUnavailable, message))
            }
            let pause = backOff.next()
            try? await time.sleep(until: time.now + (backOff.failures == 1 ? .zero : pause))
        }
    }

    /// Returns when the zygote is gone, breaks the protocol, or forks processes that don't get ready.
    private func serve(_ zygote: ZygoteProcess) async {
        let (refills, refill) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.zygoteStarted(pid: Int(zygote.pid), refill: refill) }
        refill.yield()
        await withTaskGroup { group in
            group.addTask { await self.listen(to: zygote) }
            group.addTask { await self.fork(from: zygote, refills) }
            await group.next()
            group.cancelAll()
        }
    }

    private func listen(to zygote: ZygoteProcess) async {
        while let received = try? await zygote.reports.next(descriptorLimit: 1) {
            let process = received.descriptors.first.map { ProcessHandle(adopting: $0) }
            switch received.message {
            case .ready: configuration.observe(.zygoteReady(pid: Int(zygote.pid)))
            case .spawned(let number, let pid):
                guard let process else { return }
                state.withLock { $0.forked(number, pid: pid, process: process) }
            case .couldNotSpawn(let number, _):
                _ = state.withLock { $0.ended(number) }
            case .exited(let number, let ending, let usage):
                let pid = state.withLock { $0.ended(number) }
                if let pid { configuration.observe(.childReaped(pid: pid, usage)) }
                // The pool itself kills with SIGKILL, whatever is done or not.
                if let pid, ending != .exited(status: 0), ending != .killed(signal: Int(SIGKILL)) {
                    configuration.observe(.childEnded(pid: pid, ending))
                }
            }
            settle()
        }
    }

    /// Has processes forked whenever there are too few. Returns when too many don't get ready.
    private func fork(from zygote: ZygoteProcess, _ refills: AsyncStream<Void>) async {
        await withDiscardingTaskGroup { group in
            for await _ in refills {
                while let number = state.withLock({ $0.claimStart() }) {
                    group.addTask { await self.prepare(number, with: zygote) }
                }
            }
            group.cancelAll()
        }
    }

    /// Has one process forked, and waits until it is locked down.
    private func prepare(_ number: Int, with zygote: ZygoteProcess) async {
        do throws(SystemError) {
            let line = try openLine(of: number, from: zygote)
            let first = await firstMessage(on: line)
            state.withLock { state in
                if case .ready(let sandbox) = first {
                    state.ready(number, sandbox)
                } else {
                    state.couldNotStart(number)
                }
            }
        } catch {
            // The worker is out of descriptors, or the zygote is gone. Neither is better at once.
            try? await time.sleep(until: time.now + .milliseconds(100))
            state.withLock { $0.abandonStart(number) }
        }
        settle()
    }

    /// `nil` if the process ends, or has said nothing when its time to get ready is over.
    private func firstMessage(on line: PacketSocket) async -> DecoderMessage? {
        await withTaskGroup(of: DecoderMessage?.self) { group in
            group.addTask {
                try? await MessageStream<DecoderMessage>(socket: line, watcher: self.watcher).next()?.message
            }
            group.addTask {
                try? await self.time.sleep(until: self.time.now + self.configuration.startLimit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Our end of the line. The other is closed here, so that we notice when the process closes it.
    private func openLine(of number: Int, from zygote: ZygoteProcess) throws(SystemError) -> PacketSocket {
        let (ours, theirs) = try PacketSocket.pair()
        state.withLock { $0.begin(number, line: ours) }
        try zygote.spawn(number, configuration.limits, socket: theirs)
        return ours
    }
}
