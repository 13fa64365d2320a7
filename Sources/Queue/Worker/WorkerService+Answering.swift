import Concurrency
import Events
import Jobs
import Media
import Processing
import Synchronization
import Timing

// One job from its start to its answer.
extension WorkerService {
    func work(on job: LeasedJob, until deadline: Instant) async {
        let isOurs = await insisting(for: job) { try await self.queue.start(job.lease) }
        let begun = time.now
        let reply = isOurs == true ? await answer(job, until: deadline) : nil
        if reply != nil { cost?.worked(for: time.now - begun) }
        state.withLock { $0.tasks[job.lease] = nil }
        if [.degraded, .original].contains(reply?.status) {
            await giveBack { $0.endedShort(job.lease, now: time.now) }
        }
        let isWanted = state.withLock { $0.worker.worked(job.lease) }
        // Otherwise the worker answered it for lack of time, or lost its lease.
        guard isWanted else { return }
        if let reply {
            perform { $0.timePassed(time.now) }
            await finish(job, with: reply)
        } else {
            instrument.record(.lost(1))
            perform { $0.lost([job.lease]) }
        }
    }

    private func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        let decoder = WorkingDecoder { self.decoderBegan(job.lease) }
        return await WorkingDecoder.$current.withValue(decoder) { await handler.answer(job, until: deadline) }
    }

    /// Notes that a decoder has begun a job. The caller may hold locks, so that nothing but notes is made.
    private func decoderBegan(_ lease: Lease) {
        state.withLock { $0.worker.decoderBegan(lease) }
        roomChanged.wake()
    }

    func finish(_ job: LeasedJob, with reply: JobReply) async {
        let isTaken = await insisting(for: job) { try await self.queue.finish(job.lease, with: reply) }
        let stands = if isTaken == true { true } else { await stands(reply, for: job) }
        ended(job, reply.status, isTaken: stands)
    }

    func deadLetter(_ job: LeasedJob) async {
        let reply = handler.answerWithoutWork(job, .poison)
        let isTaken = await insisting(for: job) { try await self.queue.deadLetter(job.lease, with: reply) }
        let stands = if isTaken == true { true } else { await stands(reply, for: job) }
        if stands { instrument.record(.deadLettered(job.job.name)) }
        ended(job, reply.status, isTaken: stands)
    }

    /// Returns whether the queue has this answer although it refused it: an earlier attempt may have been taken before
    /// its acknowledgement was lost.
    private func stands(_ reply: JobReply, for job: LeasedJob) async -> Bool {
        (try? await queue.state(of: job.job.name, waiting: .zero)) == .finished(reply)
    }

    private func ended(_ job: LeasedJob, _ status: JobReply.Status, isTaken: Bool) {
        let (name, now) = (job.job.name, time.now)
        if isTaken {
            instrument.record(.answered(name, status, after: now - job.enqueued, margin: job.deadline - now))
            if job.job.answer.callback != nil { callbackAdded.wake() }
        } else {
            instrument.record(.stale(name))
        }
        perform { $0.answered(job.lease, now: now) }
    }

    /// Repeats a call to the queue until it succeeds. Returns `nil` if it cannot succeed or the worker no longer holds
    /// the job.
    private func insisting(for job: LeasedJob, _ ask: () async throws -> Bool) async -> Bool? {
        var backOff = BackOff()
        while !Task.isCancelled, state.withLock({ $0.worker.holds(job.lease) }) {
            do {
                return try await ask()
            } catch let error as JobQueueError {
                instrument.record(.queueFailed(error))
                guard [.unavailable, .noSpace].contains(error.reason) else { return nil }
                try? await time.sleep(for: backOff.next())
            } catch {
                return nil
            }
        }
        return nil
    }
}
