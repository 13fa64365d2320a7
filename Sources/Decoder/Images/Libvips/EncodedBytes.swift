import CVips
import DecoderWire

/// A finished file in memory that libvips allocated. It is freed when the value goes out of scope.
@safe
struct EncodedBytes: ~Copyable {
    private let start: UnsafeMutableRawPointer
    let count: Int

    private init(adopting start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    deinit { unsafe g_free(start) }

    static func make(
        _ name: String,
        _ operation: (inout UnsafeMutableRawPointer?, inout Int) -> Int32,
    ) throws(DecodeError) -> EncodedBytes {
        var start: UnsafeMutableRawPointer?
        var count = 0
        guard unsafe operation(&start, &count) == 0, let start = unsafe start else { throw VipsError(name).failure }
        return unsafe EncodedBytes(adopting: start, count: count)
    }

    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
