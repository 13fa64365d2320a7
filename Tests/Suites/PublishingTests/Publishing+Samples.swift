import Base
import Files
import Foundation
import HTTPClient
import Media
import Storage
import Support

extension MotoServer.User {
    var credentials: BucketCredentials {
        BucketCredentials(
            accessKeyID: accessKeyID,
            secretAccessKey: Secret(secretAccessKey),
            sessionToken: sessionToken.map { Secret($0) },
        )
    }
}

extension MotoServer {
    /// Returns the bucket of a store on loopback. For libcurl, names below `localhost` are loopback.
    func address(
        _ text: String = "s3://\(bucket)/pushes/today",
        style: BucketAddress.Style = .path,
        region: String = region,
    ) throws -> BucketAddress {
        try BucketAddress(text, endpoint: "http://localhost:\(port)", region: region, style: style)
    }

    func settings(_ user: User? = nil, style: BucketAddress.Style = .path) throws -> PublishingSettings {
        PublishingSettings(address: try address(style: style), credentials: .fixed((user ?? writer).credentials))
    }
}

extension PublishedFile {
    /// Creates a ready file with these bytes.
    init(_ bytes: [UInt8], name: String, format: OutputFormat = .jpeg) throws {
        let rung = try ReadyRung(bytes, format: format)
        self.init(
            name: name,
            format: format.media,
            file: rung.file,
            byteCount: bytes.count,
            sha256: try SHA256.text(bytes)
        )
    }
}

/// A hash by a system program, as a check that is independent of the code under test.
enum SHA256 {
    static func text(_ bytes: [UInt8]) throws -> String {
        let folder = try TemporaryFolder()
        let input = folder.url.appending(path: "input").path
        try Data(bytes).write(to: URL(filePath: input))
        let program = try ChildProgram(["/usr/bin/sha256sum", "--binary", input], in: folder.url)
        let output = String(decoding: try program.readToEnd(), as: UTF8.self)
        program.wait()
        return String(output.prefix(64))
    }
}

extension Instant {
    static func `in`(_ duration: Duration) -> Instant { SystemTime().now + duration }
}
