import Base
import Foundation
import Glibc
import Support
import Testing

@testable import Media

@Suite("The memory of sources", .timeLimit(.minutes(10)))
struct SourceMemoryTests {
    private static let mebibyte = 1_048_576
    private let memory = SourceMemory(byteLimit: 8 * mebibyte)

    private func file(due seconds: Int = 30, in memory: SourceMemory? = nil) throws -> MediaFile {
        let deadline = Deadline(SystemTime().now + .seconds(seconds))
        return try MediaFile(byteLimit: 100_000_000, memory: memory ?? self.memory, deadline: deadline)
    }

    /// Writes `byteCount` bytes as a download does, and returns whether there was room for all.
    @discardableResult
    private func fill(_ file: MediaFile, _ byteCount: Int, from offset: Int = 0, _ value: UInt8 = 7) throws -> Bool {
        let packet = [UInt8](repeating: value, count: 65_536)
        var offset = offset
        let end = offset + byteCount
        while offset < end {
            let count = min(packet.count, end - offset)
            guard file.makeRoom(for: count) else { return false }
            try unsafe packet.prefix(count).withUnsafeBytes { _ = try unsafe file.write($0, at: offset) }
            offset += count
        }
        return true
    }

    @Test("a file without a budget always has room")
    func unlimited() throws {
        let file = try MediaFile(byteLimit: 100)
        try file.announce(1_000_000_000)
        #expect(file.makeRoom(for: 1_000_000_000) && file.contents.room == .max)
    }

    @Test("an announced length is reserved at once, and its end gives the rest back")
    func announced() throws {
        let file = try file()
        try file.announce(3 * Self.mebibyte)
        #expect(memory.usage.heldBytes == 3 * Self.mebibyte && file.contents.room == 3 * Self.mebibyte)
        #expect(try fill(file, Self.mebibyte))
        #expect(memory.usage.heldBytes == 3 * Self.mebibyte && file.contents.room == 2 * Self.mebibyte)
        file.end(.whole)
        #expect(memory.usage.heldBytes == Self.mebibyte)
        file.release()
        #expect(memory.usage.heldBytes == 0)
    }

    @Test("without a length, memory grows in steps")
    func steps() throws {
        let file = try file()
        #expect(try fill(file, 65_536))
        #expect(memory.usage.heldBytes == 262_144)
        #expect(try fill(file, 262_144, from: 65_536))
        #expect(memory.usage.heldBytes == 524_288)
    }

    @Test("a length that can never fit is refused, and the message says what fits")
    func refused() throws {
        let file = try file()
        let failure = #expect(throws: AttachmentFailure.self) { try file.announce(6 * Self.mebibyte + 1) }
        #expect(failure?.reason == .resourceLimit && failure?.message.contains("6291456") == true)
        #expect(memory.usage.heldBytes == 0)
    }

    @Test("a source without a length that can never fit is cut, and its bytes stay")
    func cut() throws {
        let file = try file()
        #expect(try !fill(file, 7 * Self.mebibyte))
        guard case .cut(let failure) = file.contents.ending else { return #expect(Bool(false)) }
        #expect(failure.reason == .resourceLimit && file.progress.byteCount == 6 * Self.mebibyte)
    }

    @Test("a paused file is woken as soon as another one gives its memory back")
    func wakes() async throws {
        let (first, second) = (try file(), try file())
        try first.announce(5 * Self.mebibyte)
        #expect(try fill(first, 5 * Self.mebibyte))
        try second.announce(3 * Self.mebibyte)
        #expect(try !fill(second, 3 * Self.mebibyte))
        let seen = second.contents
        async let woken = second.contents { $0.roomCount != seen.roomCount }
        first.release()
        #expect(await woken.room == 3 * Self.mebibyte)
        #expect(try fill(second, 3 * Self.mebibyte))
    }

    @Test("small sources go on while large ones wait")
    func small() throws {
        let files = try (0..<3).map { _ in try file(due: 1) }
        for file in files { try file.announce(3 * Self.mebibyte) }
        #expect(memory.usage.heldBytes == 6 * Self.mebibyte)
        for _ in 0..<100 {
            let small = try file()
            try small.announce(100_000)
            #expect(try fill(small, 100_000))
        }
    }

    @Test("a released file finds nothing and harms nothing, and a decoder still reads")
    func released() throws {
        let file = try file()
        #expect(try fill(file, 100))
        let descriptor = try file.openReadOnly()
        defer { close(descriptor) }
        file.release()
        #expect(file.prefix(100).isEmpty && memory.usage.heldBytes == 0)
        #expect(file.contents.ending != nil && file.makeRoom(for: 1))
        #expect(try unsafe [1].withUnsafeBytes { try unsafe !file.write($0, at: 0) })
        #expect(throws: AttachmentFailure.self) { close(try file.openReadOnly()) }
        var byte: UInt8 = 0
        #expect(unsafe pread(descriptor, &byte, 1, 50) == 1 && byte == 7)
        file.release()
    }

    @Test("a file that is forgotten gives its memory back")
    func forgotten() throws {
        do {
            let file = try file()
            try file.announce(Self.mebibyte)
        }
        #expect(memory.usage.heldBytes == 0)
    }

    @Test("the start of a file shares its memory, which stays until both are done")
    func prefix() throws {
        let whole = try file()
        #expect(try fill(whole, 200_000))
        let failure = AttachmentFailure(.download, .timedOut, "late")
        let part = try #require(MediaFile(prefixOf: whole, ending: .cut(failure)))
        #expect(try fill(whole, 50_000, from: 200_000))
        #expect(part.progress == MediaFile.Progress(byteCount: 200_000, ending: .cut(failure)))
        part.end(.whole)
        #expect(whole.contents.ending == nil && whole.progress.byteCount == 250_000)
        whole.release()
        #expect(memory.usage.heldBytes >= 250_000 && part.prefix(300_000).count == 200_000)
        part.release()
        #expect(memory.usage.heldBytes == 0)
    }

    /// Makes two files wait for each other: both are longer than they said.
    private func stuck() throws -> (urgent: MediaFile, other: MediaFile) {
        let files = (urgent: try file(due: 5), other: try file(due: 9))
        for file in [files.urgent, files.other] {
            try file.announce(3 * Self.mebibyte)
            #expect(try fill(file, 3 * Self.mebibyte))
        }
        return files
    }

    @Test("of files that wait for each other, the least urgent loses its bytes, and begins again later")
    func lost() async throws {
        let (urgent, other) = try stuck()
        #expect(try !fill(other, 65_536, from: 3 * Self.mebibyte))
        async let noticed = other.contents(\.hasLostBytes)
        #expect(try !fill(urgent, 65_536, from: 3 * Self.mebibyte))
        #expect(await noticed.present.count == 0 && urgent.contents.room > 0)
        #expect(other.prefix(1).isEmpty && !other.makeRoom(for: 1))
        #expect(try fill(urgent, 65_536, from: 3 * Self.mebibyte))
        async let room: Void = other.waitForRoom()
        urgent.release()
        await room
        #expect(!other.contents.hasLostBytes)
        #expect(try fill(other, 4 * Self.mebibyte, 8))
        #expect(other.bytes(in: 4_000_000..<4_000_002) == [8, 8])
    }

    @Test("if decoders read all of them, the least urgent ends with what it has")
    func ended() throws {
        let (urgent, other) = try stuck()
        let descriptors = [try urgent.openReadOnly(), try other.openReadOnly()]
        defer { for descriptor in descriptors { close(descriptor) } }
        #expect(try !fill(other, 65_536, from: 3 * Self.mebibyte))
        #expect(try !fill(urgent, 65_536, from: 3 * Self.mebibyte))
        guard case .cut(let failure) = other.contents.ending else { return #expect(Bool(false)) }
        #expect(failure.reason == .resourceLimit && other.progress.byteCount == 3 * Self.mebibyte)
        other.release()
        #expect(try fill(urgent, 65_536, from: 3 * Self.mebibyte))
    }

    @Test("a file that waits for room learns that it never will be there", arguments: [true, false])
    func never(isCancelled: Bool) async throws {
        let (first, second) = (try file(), try file())
        try first.announce(5 * Self.mebibyte)
        try second.announce(5 * Self.mebibyte)
        let wait = Task { await second.room(for: 5 * Self.mebibyte) }
        if isCancelled { wait.cancel() } else { second.end(.whole) }
        #expect(await !wait.value)
    }

    @Test("the memory of files on many threads comes back, and is never more than the budget")
    func threads() async throws {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                group.addTask {
                    guard let file = try? file(due: number % 9) else { return false }
                    let size = number % 3 == 0 ? 3 * Self.mebibyte : 200_000
                    if number % 2 == 0 { try? file.announce(size) }
                    var (offset, isWithin) = (0, true)
                    let packet = [UInt8](repeating: 1, count: 50_000)
                    while offset < size, await file.room(for: packet.count) {
                        offset = file.contents.present.count
                        _ = try? unsafe packet.withUnsafeBytes { try unsafe file.write($0, at: offset) }
                        offset = file.contents.present.count
                        isWithin = isWithin && memory.usage.heldBytes <= memory.byteLimit + 60 * packet.count
                    }
                    return isWithin && offset >= size
                }
            }
            for await isGood in group { #expect(isGood) }
        }
        #expect(memory.usage.heldBytes == 0)
    }
}
