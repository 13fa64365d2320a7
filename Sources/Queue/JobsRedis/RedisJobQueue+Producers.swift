package import Jobs
import Media
import Timing

extension RedisJobQueue {
    package func enqueue(_ job: Job) async throws -> Enqueued {
        try job.check()
        let command = Script.enqueue.command(settings.prefix, [Array(job.priority.stream.utf8)] + job.fields)
        do {
            return try enqueued(try await commands.send([command], isAcknowledged: true)[0])
        } catch RedisError.outOfMemory {
            return .busy
        } catch let failure as RedisError {
            throw failure.queueError(at: settings.address)
        }
    }

    /// Interprets the answer of the script `enqueue`.
    func enqueued(_ reply: RedisReply) throws(JobQueueError) -> Enqueued {
        switch (reply.elements?.first?.text, reply.elements?.last) {
        case ("OK", _): return .accepted
        case ("DUP", _): return .known
        case ("BUSY", .bytes(let bytes)?) where bytes == Array("tenant".utf8): return .overShare
        case ("BUSY", _): return .busy
        case ("DONE", .bytes(let bytes)): return .finished(try answer(bytes))
        default: throw Self.invalidReply("an invalid answer to a job")
        }
    }

    package func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        let deadline = time.now + patience
        let key = resultKey(name)
        let state = try await state(key)
        guard state == .waiting || state == .running, patience > .zero else { return state }
        try await answers.wait(for: key, until: deadline)
        return try await self.state(key)
    }

    private func state(_ key: String) async throws -> JobState {
        switch try await run(.state, [key]) {
        case .null: return .unknown
        case .bytes(let bytes) where bytes == Array("waiting".utf8): return .waiting
        case .bytes(let bytes) where bytes == Array("running".utf8): return .running
        case .bytes(let bytes): return .finished(try answer(bytes))
        default: throw Self.invalidReply("an invalid state of a job")
        }
    }

    package func cancel(_ name: JobName) async throws -> Cancellation {
        let reason = "The producer cancelled the job."
        let reply = try await run(.cancel, [resultKey(name), reason, "\(limits.replyTime.milliseconds)"])
        switch reply.text {
        case "cancelled": return .cancelled
        case "running": return .running
        case "finished": return .finished
        case "unknown": return .unknown
        default: throw Self.invalidReply("an invalid answer to a cancellation")
        }
    }
}
