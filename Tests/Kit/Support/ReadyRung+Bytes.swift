import Glibc
package import Media

extension ReadyRung {
    /// Creates an output with the given bytes, as if a decoder process had written it.
    package init(_ bytes: [UInt8], _ rung: Rung = .downscaled, format: OutputFormat = .jpeg) throws {
        let file = try OutputFile(capacity: max(1, bytes.count))
        unsafe bytes.withUnsafeBytes { _ = unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }
        self.init(report: RungReport(rung: rung, format: format, byteCount: bytes.count), file: file)
    }
}
