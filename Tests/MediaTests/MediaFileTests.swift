import Glibc
@testable import Media
import Testing

@Suite("The media file", .timeLimit(.minutes(1)))
struct MediaFileTests {
    private let cut = MediaFile.Ending.cut(AttachmentFailure(.download, .stalled, "stalled"))

    @Test("a reader waits until the bytes it needs are there")
    func waits() async throws {
        let file = try MediaFile(byteLimit: 100)
        try file.append([1, 2])
        async let progress = file.progress(reaching: 4)
        try file.append([3, 4, 5])
        #expect(await progress.byteCount >= 4)
        #expect(file.prefix(100) == [1, 2, 3, 4, 5])
    }

    @Test("a reader that waits is told when no more bytes will come", arguments: [true, false])
    func ends(isWhole: Bool) async throws {
        let file = try MediaFile(byteLimit: 100)
        try file.append([1])
        async let progress = file.progress(reaching: 50)
        file.end(isWhole ? .whole : cut)
        #expect(await progress == MediaFile.Progress(byteCount: 1, ending: isWhole ? .whole : cut))
    }

    @Test("the first ending stands, and later bytes are dropped")
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

    @Test("a cancelled reader returns at once with what there is")
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

    @Test("once it has ended nobody can change it, not even whoever may write", arguments: [true, false])
    func sealedWhenEnded(isWhole: Bool) throws {
        let file = try MediaFile(byteLimit: 3)
        try file.append([7, 8])
        file.end(isWhole ? .whole : cut)
        #expect(unsafe pwrite(file.descriptor, [1], 1, 0) == -1)
        #expect(ftruncate(file.descriptor, 1) == -1 && ftruncate(file.descriptor, 9) == -1)
        #expect(file.prefix(2) == [7, 8])
    }

    @Test("an output can neither grow nor shrink")
    func sealed() throws {
        let output = try OutputFile(capacity: 10)
        #expect(ftruncate(output.descriptor, 5) == -1)
        #expect(ftruncate(output.descriptor, 20) == -1)
        #expect(unsafe pwrite(output.descriptor, [UInt8](repeating: 1, count: 20), 20, 0) <= 10)
        #expect(output.prefix(100).count == 10)
    }
}
