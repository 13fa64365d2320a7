import Glibc
import Media
import Storage

// store-forever FOLDER: stores random files in FOLDER from several tasks at once, and prints each stored name. It never
// ends by itself; tests kill it.

func rung() throws -> ReadyRung {
    let count = Int.random(in: 1...200_000)
    let bytes = (0..<(count + 7) / 8).map { _ in UInt64.random(in: .min ... .max) }
    let file = try OutputFile(capacity: count)
    let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file.descriptor, $0.baseAddress, count, 0) }
    precondition(written == count, "the output could not be written: errno \(errno)")
    let report = RungReport(rung: .downscaled, format: .jpeg, byteCount: count)
    return ReadyRung(report: report, file: file)
}

// The quota is so small that files are deleted all the time.
let retention = Retention(quota: 10_000_000, protection: .zero)
let store = try AttachmentStore(at: CommandLine.arguments[1], retention: retention)
try await withThrowingTaskGroup { group in
    for _ in 0..<4 {
        group.addTask {
            while true {
                let line = Array("\(try await store.store(rung()).identifier)\n".utf8)
                guard unsafe write(STDOUT_FILENO, line, line.count) == line.count else { return }
            }
        }
    }
    try await group.waitForAll()
}
