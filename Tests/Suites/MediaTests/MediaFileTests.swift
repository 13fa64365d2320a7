import Foundation
import Glibc
@testable import Media
import Testing

@Suite("The media file", .timeLimit(.minutes(10)))
struct MediaFileTests {
    private let cut = MediaFile.Ending.cut(AttachmentFailure(.download, .stalled, "stalled"))

    @Test("a reader waits until its bytes are there")
    func waits() async throws {
        let file = try MediaFile(byteLimit: 100)
        try file.append([1, 2])
        async let progress = file.progress(reaching: 4)
        try file.append([3, 4, 5])
        #expect(await progress.byteCount >= 4)
        #expect(file.prefix(100) == [1, 2, 3, 4, 5])
    }

    @Test("a waiting reader is told when no more bytes will come", arguments: [true, false])
    func ends(isWhole: Bool) async throws {
        let file = try MediaFile(byteLimit: 100)
        try file.append([1])
        async let progress = file.progress(reaching: 50)
        file.end(isWhole ? .whole : cut)
        #expect(await progress == MediaFile.Progress(byteCount: 1, ending: isWhole ? .whole : cut))
    }

    @Test("the first ending is kept, and later bytes are dropped")
    func firstEnding() throws {
        let file = try MediaFile(byteLimit: 100)
        file.end(cut)
        file.end(.whole)
        try file.append([1])
        #expect(file.progress == MediaFile.Progress(byteCount: 0, ending: cut))
    }

    @Test("bytes over the limit are refused, and none of them is kept")
    func limit() throws {
        let file = try MediaFile(byteLimit: 3)
        try file.append([1, 2])
        let failure = #expect(throws: AttachmentFailure.self) { try file.append([3, 4]) }
        #expect(failure?.reason == .tooLarge)
        #expect(file.progress.byteCount == 2)
    }

    @Test("a cancelled reader returns at once with the bytes so far")
    func cancelled() async throws {
        let file = try MediaFile(byteLimit: 3)
        let reader = Task { await file.progress(reaching: 3) }
        reader.cancel()
        #expect(await reader.value == MediaFile.Progress(byteCount: 0, ending: nil))
    }

    @Test("the reading descriptor sees the bytes and cannot write")
    func readOnly() throws {
        let file = try MediaFile(byteLimit: 3)
        try file.append([7, 8])
        let descriptor = try file.openReadOnly()
        defer { close(descriptor) }
        var bytes: [UInt8] = [0, 0]
        #expect(unsafe pread(descriptor, &bytes, 2, 0) == 2)
        #expect(bytes == [7, 8])
        #expect(unsafe pwrite(descriptor, bytes, 2, 0) == -1)
    }

    @Test("once the file has ended nobody can change it, not even its writer (T7)", arguments: [true, false])
    func sealedWhenEnded(isWhole: Bool) throws {
        let file = try MediaFile(byteLimit: 3)
        try file.append([7, 8])
        file.end(isWhole ? .whole : cut)
        #expect(unsafe pwrite(file.descriptor, [1], 1, 0) == -1)
        #expect(ftruncate(file.descriptor, 1) == -1 && ftruncate(file.descriptor, 9) == -1)
        let mapping = unsafe mmap(nil, 2, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
        #expect(unsafe mapping == MAP_FAILED)
        #expect(file.prefix(2) == [7, 8])
    }

    @Test("the file is sealed at once, even if its pages are in use")
    func sealedWhileUsed() throws {
        let file = try MediaFile(byteLimit: 3)
        try file.append([7, 8])
        // A pipe holds the page itself until it is read.
        var ends: [Int32] = [0, 0]
        let status = unsafe pipe(&ends)
        try #require(status == 0)
        defer { for end in ends { close(end) } }
        let count = sendfile(ends[1], file.descriptor, nil, 2)
        #expect(count == 2)
        file.end(.whole)
        #expect(unsafe pwrite(file.descriptor, [1], 1, 0) == -1)
    }

    @Test("bytes may come in any order, and a reader waits for its own")
    func holes() async throws {
        let file = try MediaFile(byteLimit: 100)
        file.setSize(1_000_000_000)
        async let contents = file.contents { $0.has(999_999_998..<2_000_000_000) }
        try write([1, 2], to: file, at: 0)
        try write([8, 9], to: file, at: 999_999_998)
        #expect(await contents.present.ranges == [0..<2, 999_999_998..<1_000_000_000])
        #expect(file.progress.byteCount == 2)
        #expect(file.bytes(in: 999_999_999..<2_000_000_000) == [9])
        #expect(file.bytes(in: 1..<10) == [2])
        #expect(file.bytes(in: 10..<20) == [])
        var status = stat()
        #expect(unsafe fstat(file.descriptor, &status) == 0 && status.st_blocks * 512 < 100_000)
    }

    @Test("the writer is told of wanted and missing bytes, up to the next known bytes and to the source's end")
    func missing() async throws {
        let file = try MediaFile(byteLimit: 100)
        #expect(await file.missing() == 0..<1)
        try write([1, 2], to: file, at: 0)
        try write([5, 6], to: file, at: 4)
        async let missing = file.missing()
        file.want(1..<Int.max)
        #expect(await missing == 2..<4)
        file.setSize(8)
        try write([3, 4], to: file, at: 2)
        #expect(await file.missing() == 6..<8)
        try write([7, 8], to: file, at: 6)
        #expect(file.contents.isComplete)
        file.end(.whole)
        #expect(await file.missing() == nil)
    }

    @Test("a reader that gives up ends the file only if something is missing")
    func giveUp() throws {
        guard case .cut(let failure) = cut else { return }
        let file = try MediaFile(byteLimit: 100)
        try write([1, 2], to: file, at: 50)
        file.want(50..<52)
        file.endIfMissing(failure)
        #expect(file.contents.ending == nil)
        file.want(50..<53)
        file.endIfMissing(failure)
        #expect(file.contents.ending == cut)
    }

    @Test("bytes beyond the source's size are refused, and bytes after its end dropped")
    func beyond() throws {
        let file = try MediaFile(byteLimit: 100)
        file.setSize(10)
        #expect(throws: AttachmentFailure.self) { try write([1, 2], to: file, at: 9) }
        #expect(try write([1], to: file, at: 9))
        file.end(cut)
        #expect(try !write([1], to: file, at: 8))
        #expect(file.contents.present.ranges == [9..<10])
    }

    @discardableResult
    private func write(_ bytes: [UInt8], to file: MediaFile, at offset: Int) throws -> Bool {
        try unsafe bytes.withUnsafeBytes { unsafe try file.write($0, at: offset) }
    }

    @Test("an output can neither grow nor shrink (T7)")
    func sealed() throws {
        let output = try OutputFile(capacity: 10)
        #expect(ftruncate(output.descriptor, 5) == -1)
        #expect(ftruncate(output.descriptor, 20) == -1)
        #expect(unsafe pwrite(output.descriptor, [UInt8](repeating: 1, count: 20), 20, 0) <= 10)
        #expect(output.prefix(100).count == 10)
    }

    @Test("neither a source nor an output has a name on disk (T1)")
    func unnamed() throws {
        let (source, output) = (try MediaFile(byteLimit: 3), try OutputFile(capacity: 10))
        for descriptor in [source.descriptor, output.descriptor] {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            #expect(target.hasPrefix("/memfd:"))
        }
    }
}
