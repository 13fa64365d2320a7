import Decoding
import Foundation
import Media
import Testing

/// A run of hundreds of sources against one pool in its own process.
enum Siege {
    private static let running = 2
    /// The most processor time for any source. The most expensive one takes 1.9 s in a debug build, more on a slow day.
    private static let processorLimit: Duration = .seconds(6)
    private static let memoryLimit = 1_000_000_000
    /// The most growth of the worker's own memory: its allocator keeps some. In bytes.
    private static let growthLimit = 64_000_000

    /// Converts every source, and expects that each is answered in time and leaves nothing behind.
    ///
    /// Descriptors, memory and processes are measured for the whole process: nothing else may run in it.
    static func lay(to sources: some Collection<Source> & Sendable) async throws {
        let log = DecoderLog()
        try await DecoderPool.withDecoder(running: running, log: log) { pool in
            try await pool.expectGoodJob()
            try await pool.settle(spares: running)
            let (descriptors, memory) = (ThisProcess.descriptors, ThisProcess.residentBytes)
            let pids = ThisProcess.descendants().count

            let answers = try await answers(to: sources, of: pool)
            try await pool.settle(spares: running)
            for (name, answer) in answers { check(answer, name) }
            #expect(ThisProcess.descriptors <= descriptors)
            #expect(ThisProcess.residentBytes <= memory + growthLimit)
            #expect(ThisProcess.descendants().count == pids)
            #expect(pool.status.restarts == 0)
            try await pool.expectGoodJob()
            report(answers, log.record)
        }
        #expect(ThisProcess.descendants().isEmpty)
        #expect(log.record.deaths(by: SIGSYS) == 0, "a decoder made a system call that is forbidden")
        #expect(log.record.mostProcessorTime <= processorLimit)
        #expect(log.record.mostMemory <= memoryLimit)
    }

    /// Converts as many sources at once as the pool takes.
    private static func answers(
        to sources: some Collection<Source> & Sendable,
        of pool: DecoderPool,
    ) async throws -> [(String, Answer)] {
        try await withThrowingTaskGroup(of: (String, Answer).self) { group in
            var answers: [(String, Answer)] = []
            for (index, source) in sources.enumerated() {
                if index >= running, let answer = try await group.next() { answers.append(answer) }
                group.addTask { (source.name, try await pool.answer(source)) }
            }
            for try await answer in group { answers.append(answer) }
            return answers
        }
    }

    private static func check(_ answer: Answer, _ name: String) {
        #expect(answer.failure != nil || !answer.rungs.isEmpty, "\(name) has no answer")
        #expect(answer.failure?.reason != .timedOut, "\(name) takes too long")
        #expect(answer.failure?.reason != .decoderLied, "\(name) makes the decoder break its protocol")
        #expect(answer.failure?.reason != .decoderUnavailable, "\(name) takes the pool down")
    }

    /// Prints the sources that killed a decoder and the cost of the most expensive one, for people who look for
    /// improvements.
    private static func report(_ answers: [(String, Answer)], _ record: DecoderLog.Record) {
        let pictures = answers.count { !$0.1.rungs.isEmpty }
        let memory = record.mostMemory / 1_048_576
        print("\(answers.count) sources, \(pictures) pictures, \(record.mostProcessorTime) and \(memory) MiB at most")
        for (name, answer) in answers where answer.failure?.reason == .decoderDied { print("  died: \(name)") }
        if !record.deaths.isEmpty { print("  deaths: \(record.deaths)") }
    }
}
