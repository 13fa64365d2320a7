import Base
import Dispatch
import Glibc
import Support
import Testing

@Suite("Threads for work that waits", .timeLimit(.minutes(10)))
struct WorkThreadsTests {
    /// Occupies a thread until `end`, and returns when it has begun.
    private func occupy(_ threads: WorkThreads, until end: DispatchSemaphore) async {
        await withWaiter { begun in
            threads.append {
                begun.resume()
                end.wait()
            }
        }
    }

    @Test("one thread does the work in order, outside Swift's pool, and returns its values")
    func performs() async {
        let threads = WorkThreads("test", limit: 1)
        let (done, ids) = (RecordedEvents<Int>(), RecordedEvents<pthread_t>())
        for number in 0..<100 {
            threads.append {
                done.record(number)
                ids.record(pthread_self())
            }
        }
        #expect(await threads.perform { 100 } == 100)
        #expect(done.events == Array(0..<100))
        #expect(Set(ids.events).count == 1)
    }

    @Test("L2: work that hangs holds its own thread, and neither other work nor a task of Swift's pool")
    func hanging() async {
        let (threads, end) = (WorkThreads("test", limit: 16), DispatchSemaphore(value: 0))
        // More than Swift's pool and libdispatch's queues have.
        for _ in 0..<15 { await occupy(threads, until: end) }
        #expect(await threads.perform { 1 } == 1)
        #expect(await Task { 2 }.value == 2)
        for _ in 0..<15 { end.signal() }
    }

    @Test("no more threads than the limit are started; what comes later is done later")
    func limit() async {
        let (threads, end) = (WorkThreads("test", limit: 2), DispatchSemaphore(value: 0))
        for _ in 0..<2 { await occupy(threads, until: end) }
        let third = Task { await threads.perform { 3 } }
        let fourth = Task { await threads.perform { 4 } }
        fourth.cancel()
        #expect(await fourth.value == nil, "no thread was free for it")
        end.signal()
        #expect(await third.value == 3)
        end.signal()
    }

    @Test(
        "L2: who leaves before the work has begun gets no value at once, and the work is dropped",
        arguments: [true, false]
    )
    func cancelled(isBegun: Bool) async {
        let (threads, end) = (WorkThreads("test", limit: 1), DispatchSemaphore(value: 0))
        let runs = RecordedEvents<Int>()
        if !isBegun { await occupy(threads, until: end) }
        let begun = OneShot<Void>()
        let task = Task {
            await threads.perform {
                begun.set()
                if isBegun { end.wait() }
                runs.record(1)
                return 1
            }
        }
        if isBegun { await begun.value() }
        task.cancel()
        if isBegun { end.signal() }
        #expect(await task.value == (isBegun ? 1 : nil))
        if !isBegun { end.signal() }
        #expect(await threads.perform { runs.events.count } == (isBegun ? 1 : 0))
    }

    @Test("work that must be done is done for a caller who has left, too")
    func evenIfCancelled() async {
        let (threads, end) = (WorkThreads("test", limit: 1), DispatchSemaphore(value: 0))
        await occupy(threads, until: end)
        let task = Task { await threads.perform(evenIfCancelled: true) { 1 } }
        task.cancel()
        end.signal()
        #expect(await task.value == 1)
    }

    @Test("work that waits when the owner leaves is still done")
    func ownerLeaves() async {
        let end = DispatchSemaphore(value: 0)
        await withWaiter { done in
            let threads = WorkThreads("test", limit: 1)
            threads.append { end.wait() }
            threads.append { done.resume() }
            end.signal()
        }
    }
}
