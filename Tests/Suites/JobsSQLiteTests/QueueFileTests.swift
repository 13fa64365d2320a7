import Base
import Foundation
import Jobs
import JobsSQLite
import Media
import Support
import Testing

/// Tests of the queue's file through damage, loss, kills and full disks.
@Suite("The queue's file")
struct QueueFileTests {
    private static let limits = QueueLimits(replyTime: .seconds(3600))

    @Test("a file below a folder in which other users could replace it is refused (T8)")
    func sharedFolder() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/shared/mine", withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o775], ofItemAtPath: folder.path + "/shared")
        let error = await #expect(throws: JobQueueError.self) {
            try await SQLiteJobQueue.open(folder.path + "/shared/mine/queue.sqlite")
        }
        #expect(error?.reason == .untrusted && error?.description.contains("chmod go-w") == true)
    }

    @Test("a question is answered, also if its caller has left meanwhile")
    func cancelledReader() async throws {
        let folder = try TemporaryFolder()
        let queue = try await SQLiteJobQueue.open(folder.path + "/queue.sqlite")
        for _ in 0..<100 {
            let reading = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await queue.deadLetters(5)
            }
            #expect(try await reading.value == [])
        }
        await queue.close()
    }

    @Test("a second process is told that the file is in use, and may read it")
    func inUse() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        let program = try churn(path, in: folder)
        defer { program.kill() }
        _ = try program.readLine(beginning: "finished")
        let error = await #expect(throws: JobQueueError.self) { try await SQLiteJobQueue.open(path) }
        #expect(error?.reason == .inUse)
        let inspection = try QueueInspection(path)
        for _ in 0..<20 { #expect(try await inspection.status().dead == 0) }
        #expect(try await inspection.jobs(5).count <= 5)
        #expect(try await inspection.deadLetters(5).isEmpty)
        // The owner is not delayed, and its file is not changed.
        #expect(try program.readLine(beginning: "finished") != nil)
    }

    @Test("the jobs and callbacks that an earlier process had leased are available at once")
    func reopened() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        let first = try await SQLiteJobQueue.open(path)
        for id in ["job", "callback"] {
            let answer = Job.Answer(callback: "https://a/\(id)")
            #expect(
                try await first.enqueue(Job(id: id, timeLimit: .seconds(60), content: [1], answer: answer)) == .accepted
            )
        }
        let leased = try await first.lease(2, waiting: .zero)
        let finished = try #require(leased.first { $0.job.id == "callback" })
        #expect(try await first.finish(finished.lease, with: JobReply(.ok, body: [2])))
        #expect(try await first.leaseCallbacks(5).count == 1)
        await first.close()

        let second = try await SQLiteJobQueue.open(path)
        #expect(try await second.lease(5, waiting: .zero).map(\.job.id) == ["job"])
        let callbacks = try await second.leaseCallbacks(5)
        #expect(callbacks.map(\.name.id) == ["callback"])
        await second.close()
    }

    @Test("the file and its companions belong to this user alone", arguments: Durability.allCases)
    func permissions(durability: Durability) async throws {
        let folder = try TemporaryFolder()
        let queue = try await SQLiteJobQueue.open(folder.path + "/queue.sqlite", durability: durability)
        try await use(queue)
        #expect(
            folder.files == [
                "queue.sqlite", "queue.sqlite-shm", "queue.sqlite-wal", "queue.sqlite.lock", "queue.sqlite.reserve",
            ]
        )
        for file in folder.files {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        await queue.close()
        #expect(folder.files == ["queue.sqlite", "queue.sqlite.lock"])
    }

    @Test("endless changes delay neither readers of the queue nor its end", .timeLimit(.minutes(10)))
    func looksBetweenChanges() async throws {
        let folder = try TemporaryFolder()
        let queue = try await SQLiteJobQueue.open(folder.path + "/queue.sqlite")
        try await withThrowingDiscardingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    while !Task.isCancelled, (try? await queue.cancel(JobName(id: "\(number)"))) != nil {}
                }
            }
            for _ in 0..<20 {
                let status = try await queue.status()
                #expect(status == QueueStatus())
            }
            await queue.close()
        }
        await #expect(throws: JobQueueError.self) { try await queue.status() }
        await #expect(throws: JobQueueError.self) { try await queue.lease(1, waiting: .zero) }
    }

    @Test("an idle queue empties its log and forgets expired answers")
    func idle() async throws {
        let (folder, time) = (try TemporaryFolder(), TestTime())
        let path = folder.path + "/queue.sqlite"
        let queue = try await SQLiteJobQueue.open(path, limits: QueueLimits(replyTime: .milliseconds(1)), time: time)
        try await use(queue)
        // The first look finds a change, and the second finds none since.
        for _ in 0..<3 {
            time.advance(by: .seconds(1))
            #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        }
        // The last of these is answered before the file is tidied; a later read waits for that.
        #expect(try await queue.state(of: JobName(id: "new"), waiting: .zero) == .unknown)
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
        #expect(attributes[.size] as? Int == 0)
        await queue.close()
        // The file can be read even while no worker uses it.
        #expect(try await QueueInspection(path).status() == QueueStatus())
    }

    @Test("another program's database is refused and left alone, and so is a missing folder")
    func foreignFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/other.sqlite"
        let sqlite = try ChildProgram(
            ["/usr/bin/python3", "-c", "import sqlite3; sqlite3.connect('other.sqlite').execute('CREATE TABLE t(x)')"],
            in: folder.url,
        )
        try #require(sqlite.wait() == 0)
        for path in [path, folder.path + "/nowhere/queue.sqlite"] {
            let error = await #expect(throws: JobQueueError.self) { try await SQLiteJobQueue.open(path) }
            #expect(error?.reason == .misconfigured)
        }
    }

    @Test("a file that is killed again and again keeps everything acknowledged, and answers no job twice")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        var enqueued: Set<String> = []
        var finished: [String] = []
        for run in 0..<8 {
            let program = try churn(path, in: folder, prefix: "\(run)")
            var lines: [Substring] = []
            while lines.count < 100 + run * 37, let line = try program.readLine(beginning: "") {
                lines.append(Substring(line))
            }
            program.kill()
            lines += String(decoding: try program.readToEnd(), as: UTF8.self).split(separator: "\n")
            for line in lines {
                if line.hasPrefix("enqueued ") { enqueued.insert(String(line.dropFirst(9))) }
                if line.hasPrefix("finished ") { finished.append(String(line.dropFirst(9))) }
            }
        }
        #expect(!enqueued.isEmpty && !finished.isEmpty)
        #expect(Set(finished).count == finished.count)
        let queue = try await SQLiteJobQueue.open(path, limits: Self.limits)
        #expect(queue.setAsideCount == 0)
        while case let leased = try await queue.lease(64, waiting: .zero), !leased.isEmpty {
            for job in leased {
                #expect(!finished.contains(job.job.id))
                let reply = JobReply(.ok, body: [UInt8](job.job.id.utf8))
                #expect(try await queue.finish(job.lease, with: reply))
            }
        }
        for id in enqueued.union(finished) {
            let reply = JobReply(.ok, body: [UInt8](id.utf8))
            #expect(try await queue.state(of: JobName(id: id), waiting: .zero) == .finished(reply))
        }
        await queue.close()
    }

    private func churn(_ path: String, in folder: TemporaryFolder, prefix: String = "job") throws -> ChildProgram {
        try ChildProgram([BuiltProgram.path("queue-program"), "churn", "sqlite:\(path)", prefix], in: folder.url)
    }

    @Test(
        "a damaged file is moved away, and the queue continues with a new one",
        arguments: ["This is no database, whatever its name says.", String(repeating: "\0", count: 100)],
    )
    func damagedBefore(text: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        try Data(repeatElement(text, count: 100).joined().utf8).write(to: URL(filePath: path))
        let queue = try await SQLiteJobQueue.open(path)
        #expect(queue.setAsideCount == 1)
        #expect(folder.files.contains { $0.hasPrefix("queue.sqlite.damaged-") })
        try await use(queue)
        await queue.close()
    }

    @Test("a file that is damaged during use is moved away too, and late answers are dropped")
    func damagedMeanwhile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        var queue = try await SQLiteJobQueue.open(path)
        for number in 0..<500 {
            let job = Job(id: "\(number)", timeLimit: .seconds(60), content: [UInt8](repeating: 1, count: 2000))
            #expect(try await queue.enqueue(job) == .accepted)
        }
        await queue.close()
        // Overwrites every page with invalid bytes, except the first, which has the schema.
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = try file.seekToEnd()
        try #require(size > 100 * 4096)
        try file.seek(toOffset: 8 * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 8 * 4096))
        try file.close()

        queue = try await SQLiteJobQueue.open(path)
        _ = try await queue.lease(500, waiting: .zero)
        #expect(queue.setAsideCount == 1)
        try await use(queue)
        #expect(try await !queue.finish(Lease(entry: "1", fence: 1), with: JobReply(.ok, body: [])))
        await queue.close()
    }

    private func use(_ queue: SQLiteJobQueue) async throws {
        #expect(try await queue.enqueue(Job(id: "new", timeLimit: .seconds(60), content: [])) == .accepted)
        let leased = try #require(try await queue.lease(1, waiting: .zero).first)
        #expect(leased.job.id == "new")
        #expect(try await queue.finish(leased.lease, with: JobReply(.ok, body: [1])))
        #expect(try await queue.status() == QueueStatus())
    }

    @Test("a file that is deleted during use is noticed, and written again with everything it held")
    func removed() async throws {
        let (folder, time) = (try TemporaryFolder(), TestTime())
        let path = folder.path + "/queue.sqlite"
        let events = RecordedEvents<QueueEvent>()
        let queue = try await SQLiteJobQueue.open(path, time: time, recorder: events)
        for id in ["leased", "waiting"] {
            #expect(try await queue.enqueue(Job(id: id, timeLimit: .seconds(3600), content: [7])) == .accepted)
        }
        let leased = try #require(try await queue.lease(1, waiting: .zero).first)
        for suffix in ["", "-wal", "-shm", ".lock"] { try FileManager.default.removeItem(atPath: path + suffix) }
        time.advance(by: .seconds(1))
        #expect(try await queue.reclaim(1).isEmpty)
        // The change before is answered before the file is checked; the next one comes after that.
        #expect(try await queue.state(of: leased.job.name, waiting: .zero) == .running)
        #expect(queue.warnings == [.fileRemoved] && events.events == [.warningsChanged([.fileRemoved])])
        // Leased jobs are still leased.
        #expect(try await queue.finish(leased.lease, with: JobReply(.ok, body: [1])))
        // A reader of the file, or a process after a crash, finds the rest; the file belongs to this user alone.
        #expect(try await QueueInspection(path).status().waiting == 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await #expect(throws: JobQueueError.self) { try await SQLiteJobQueue.open(path) }
        await queue.close()
        let next = try await SQLiteJobQueue.open(path, time: time)
        #expect(try await next.lease(9, waiting: .zero).map(\.job.content) == [[7]])
        await next.close()
    }

    @Test("another file in place of the queue's is noticed, and left alone")
    func replaced() async throws {
        let (folder, time) = (try TemporaryFolder(), TestTime())
        let path = folder.path + "/queue.sqlite"
        let queue = try await SQLiteJobQueue.open(path, time: time)
        #expect(try await queue.enqueue(Job(id: "job", timeLimit: .seconds(3600), content: [])) == .accepted)
        try FileManager.default.removeItem(atPath: path)
        try folder.write("precious", to: "queue.sqlite")
        time.advance(by: .seconds(1))
        for _ in 0..<2 { #expect(try await queue.reclaim(1).isEmpty) }
        #expect(queue.warnings == [.fileRemoved])
        #expect(try await queue.lease(1, waiting: .zero).count == 1)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        await queue.close()
    }

    @Test(
        "accepted jobs are answered on a full disk, with their callbacks, while new ones are refused"
    )
    func answersOnFullDisk() async throws {
        guard let disk = try SmallDisk(megabytes: 64) else {
            try Test.cancel("mounting a small file system needs the right to mount")
        }
        let queue = try await SQLiteJobQueue.open(disk.path + "/queue.sqlite", limits: Self.limits)
        for number in 0..<40 {
            let job = Job(
                id: "\(number)",
                timeLimit: .seconds(3600),
                content: [UInt8](repeating: 1, count: 2000),
                answer: .init(callback: "https://gateway.example/done")
            )
            #expect(try await queue.enqueue(job) == .accepted)
        }
        try disk.fill()
        var refused: JobQueueError?
        for number in 0..<100 where refused == nil {
            let job = Job(id: "more\(number)", timeLimit: .seconds(60), content: [UInt8](repeating: 1, count: 60_000))
            do { _ = try await queue.enqueue(job) } catch let error as JobQueueError { refused = error }
        }
        #expect(refused?.reason == .noSpace)
        #expect(queue.warnings == [.diskFull])
        var answered = 0
        while case let leased = try await queue.lease(4, waiting: .zero), !leased.isEmpty {
            for job in leased {
                #expect(try await queue.start(job.lease))
                #expect(
                    try await queue.finish(job.lease, with: JobReply(.ok, body: [UInt8](repeating: 2, count: 1000)))
                )
                answered += 1
                for callback in try await queue.leaseCallbacks(1) { try await queue.finishCallback(callback.lease) }
            }
        }
        #expect(answered >= 40)
        #expect(queue.warnings == [.diskFull])
        try disk.empty()
        #expect(try await queue.enqueue(Job(id: "last", timeLimit: .seconds(60), content: [])) == .accepted)
        #expect(queue.warnings.isEmpty)
        await queue.close()
    }

    @Test("an invalid number in the file is damage, and never ends the process")
    func senselessNumbers() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        let first = try await SQLiteJobQueue.open(path)
        #expect(try await first.enqueue(Job(id: "job", timeLimit: .seconds(60), content: [])) == .accepted)
        await first.close()
        let change =
            "import sqlite3; c = sqlite3.connect('queue.sqlite'); "
            + "c.execute('UPDATE job SET deadline = 9223372036854775807, enqueued = -9223372036854775807'); c.commit()"
        let sqlite = try ChildProgram(["/usr/bin/python3", "-c", change], in: folder.url)
        try #require(sqlite.wait() == 0)
        let second = try await SQLiteJobQueue.open(path)
        #expect(try await second.lease(1, waiting: .zero).isEmpty)
        #expect(second.setAsideCount == 1)
        await second.close()
    }

    @Test("a full disk is reported, loses nothing acknowledged, and the queue continues once there is space")
    func fullDisk() async throws {
        guard let disk = try SmallDisk() else {
            try Test.cancel("mounting a small file system needs the right to mount")
        }
        let queue = try await SQLiteJobQueue.open(disk.path + "/queue.sqlite", limits: Self.limits)
        var accepted: [Job] = []
        func enqueueUntilFull() async throws -> JobQueueError? {
            for _ in 0..<2000 {
                let content = [UInt8](repeating: UInt8(accepted.count % 251), count: 3000)
                let job = Job(id: "\(accepted.count)", timeLimit: .seconds(3600), content: content)
                do {
                    #expect(try await queue.enqueue(job) == .accepted)
                    accepted.append(job)
                } catch let error as JobQueueError {
                    return error
                }
            }
            return nil
        }
        try disk.fill()
        #expect(try await enqueueUntilFull()?.reason == .noSpace)
        // The queue's contents can still be read.
        #expect(try await queue.status().waiting == accepted.count)
        try disk.empty()

        var answered: [Job] = []
        while answered.count < accepted.count {
            let leased = try await queue.lease(8, waiting: .zero)
            for job in leased { #expect(try await queue.finish(job.lease, with: JobReply(.ok, body: [1]))) }
            answered += leased.map(\.job)
            if leased.isEmpty { break }
        }
        #expect(Set(answered.map(\.id)) == Set(accepted.map(\.id)))
        #expect(answered.allSatisfy { accepted.contains($0) })
        #expect(try await queue.enqueue(Job(id: "last", timeLimit: .seconds(60), content: [])) == .accepted)
        #expect(queue.setAsideCount == 0)
        await queue.close()
    }
}
