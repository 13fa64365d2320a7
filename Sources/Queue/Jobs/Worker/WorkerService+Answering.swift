import Base
import Media
import Processing
import Synchronization

// One job from its start to its answer.
extension WorkerService {
    func work(on job: LeasedJob, until deadline: Instant) async {
        let isOurs = await retryingUntilLeaseEnds(of: job) { try await self.queue.start(job.lease) }
        let reply = isOurs == true ? await answer(job, until: deadline) : nil
        state.withLock { $0.tasks[job.lease] = nil }
        if [.degraded, .original].contains(reply?.status) {
            await giveBack { $0.endedShort(job.lease, now: time.now) }
        }
        let isWanted = state.withLock { $0.worker.worked(job.lease, now: time.now) }
        // Otherwise the worker answered it for lack of time, or lost its lease.
        guard isWanted else { return }
        if let reply {
            perform { $0.timePassed(time.now) }
            await finish(job, with: reply)
        } else {
            recorder.record(.lost(1))
            perform { $0.lost([job.lease]) }
        }
    }

    private func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        let begun = time.now
        let slot = WorkSlot {
            self.note { $0.decoderBegan(job.lease) }
        } lend: {
            self.note { $0.lend(job.lease) }
        } reclaim: {
            self.note { $0.reclaim(job.lease) }
        }
        defer {
            // Others had the slot of a job that waited for its origin, so its time says nothing.
            if !slot.wasLent { cost?.worked(for: time.now - begun) }
        }
        return await WorkSlot.$current.withValue(slot) {
            await recorder.record({ .work($0, .begins(job, waited: time.now - job.enqueued)) }) { activity in
                let reply = await withTaskExecutorPreference(workExecutor) {
                    await handler.answer(job, until: deadline)
                }
                recorder.record(.work(activity, .answered(reply.status)))
                return reply
            }
        }
    }

    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply {
        recorder.record({ .work($0, .declines(job)) }) { activity in
            defer { recorder.record(.work(activity, .answered(status))) }
            return handler.answerWithoutWork(job, status)
        }
    }

    /// Notes a change of a job in progress. The caller may hold locks, so others act on it.
    private func note<Value>(_ change: (inout WorkerState) -> Value) -> Value {
        defer {
            timersChanged.wake()
            roomChanged.wake()
        }
        return state.withLock { change(&$0.worker) }
    }

    func finish(_ job: LeasedJob, with reply: JobReply) async {
        let isTaken = await retryingUntilLeaseEnds(of: job) { try await self.queue.finish(job.lease, with: reply) }
        let isRecorded = if isTaken == true { true } else { await isRecorded(reply, for: job) }
        ended(job, reply.status, isTaken: isRecorded)
    }

    func deadLetter(_ job: LeasedJob) async {
        let reply = answerWithoutWork(job, .poison)
        let isTaken = await retryingUntilLeaseEnds(of: job) { try await self.queue.deadLetter(job.lease, with: reply) }
        let isRecorded = if isTaken == true { true } else { await isRecorded(reply, for: job) }
        if isRecorded { recorder.record(.deadLettered(job.job.name)) }
        ended(job, reply.status, isTaken: isRecorded)
    }

    /// Returns whether the queue has this answer although it refused it: an earlier attempt may have been taken before
    /// its acknowledgement was lost.
    private func isRecorded(_ reply: JobReply, for job: LeasedJob) async -> Bool {
        (try? await queue.state(of: job.job.name, waiting: .zero)) == .finished(reply)
    }

    private func ended(_ job: LeasedJob, _ status: JobReply.Status, isTaken: Bool) {
        let (name, now) = (job.job.name, time.now)
        if isTaken {
            recorder.record(.answered(name, status, after: now - job.enqueued, margin: job.deadline - now))
            if job.job.answer.callback != nil { callbackAdded.wake() }
        } else {
            recorder.record(.stale(name))
        }
        perform { $0.answered(job.lease, now: now) }
    }

    /// Repeats a call to the queue until it succeeds. Returns `nil` if it cannot succeed or the worker no longer holds
    /// the job.
    private func retryingUntilLeaseEnds(of job: LeasedJob, _ ask: () async throws -> Bool) async -> Bool? {
        var backOff = BackOff()
        while !Task.isCancelled, state.withLock({ $0.worker.holds(job.lease) }) {
            do {
                return try await ask()
            } catch let error as JobQueueError {
                recorder.record(.queueFailed(error))
                guard [.unavailable, .noSpace].contains(error.reason) else { return nil }
                try? await time.sleep(for: backOff.next())
            } catch {
                return nil
            }
        }
        return nil
    }
}
