import Base
import Foundation
import Media
import Storage
import Support
import Testing

@Suite("Ready files, compared with nginx serving the same file", .timeLimit(.minutes(10)))
struct NginxComparisonTests {
    private static let byteCount = 300_000

    /// The parts of an answer that are independent of the server's own wording.
    private struct Seen: Equatable, CustomStringConvertible {
        var status: Int
        var fields: [String: String]
        var body: [UInt8]

        var description: String { "\(status) \(fields.sorted { $0.key < $1.key }) and \(body.count) bytes" }

        init(_ answer: HTTPClient.Answer) {
            status = answer.status
            let names =
                switch status {
                case 200: ["content-type", "content-length", "last-modified", "accept-ranges", "content-range"]
                case 206: ["content-type", "content-length", "last-modified", "content-range"]
                case 304: ["last-modified", "content-length", "content-range"]
                case 416: ["content-range"]
                default: [String]()
                }
            fields = answer.headers.filter { names.contains($0.key) }
            // Each server has its own text for a problem.
            body = status < 400 ? answer.body : []
        }
    }

    /// Stores a file of random bytes, and returns its location.
    private func storedFile(_ folder: TemporaryFolder) async throws -> (AttachmentStore, AttachmentStore.File, [UInt8])
    {
        let store = try AttachmentStore(at: folder.url.appending(path: "store").path)
        var generator = SplitMix(seed: 7)
        let content = (0..<Self.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return (store, try await store.store(ReadyRung(content, format: .jpeg)), content)
    }

    @Test(
        "status, fields and bytes are the same for every range and condition, except where RFC 9110 differs",
        .enabled(if: NginxServer.isThere, "nginx is not installed")
    )
    func comparison() async throws {
        let folder = try TemporaryFolder()
        let (store, file, content) = try await storedFile(folder)
        let nginx = try await NginxServer(root: "\(store.root)/attachments")
        defer { nginx.stop() }
        #expect(FileRequest.all.count { $0.nginx == nil } >= 60)
        try await SidecarFixture.run(store: store) { sidecar in
            let url = store.urls(below: "").url(of: file.identifier, expires: file.expires.seconds)
            let whole = try await nginx.send("/\(file.identifier)")
            #expect(whole.body == content)
            for request in FileRequest.all {
                let ours = Seen(try await send(request, url, sidecar.port))
                let theirs = Seen(try await send(request, "/\(file.identifier)", nginx.port))
                #expect(ours.status == request.status, "\(request)")
                #expect(theirs.status == request.nginx?.status ?? request.status, "\(request)")
                if request.nginx == nil {
                    #expect(
                        ours.fields == theirs.fields && ours.body == theirs.body,
                        "\(request): \(ours), not \(theirs)"
                    )
                }
            }
        }
    }

    /// Sends the request with the server's own validators.
    private func send(_ request: FileRequest, _ path: String, _ port: Int) async throws -> HTTPClient.Answer {
        guard request.fields.values.contains(where: { $0.contains("{") }) else {
            return try await HTTPClient.send(request.method, path: path, port: port, headers: request.fields)
        }
        let known = try await HTTPClient.send("HEAD", path: path, port: port).headers
        let (tag, date) = (try #require(known["etag"]), try #require(known["last-modified"]))
        let fields = try request.fields.mapValues { value in
            guard value.contains("{") else { return value }
            return value.replacing("{tag}", with: tag).replacing("{date}", with: date)
                .replacing("{before}", with: try Self.date(date, days: -1))
                .replacing("{after}", with: try Self.date(date, days: 1))
                .replacing("{date850}", with: try Self.date(date, form: "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"))
                .replacing("{asctime}", with: try Self.asctime(date))
        }
        return try await HTTPClient.send(request.method, path: path, port: port, headers: fields)
    }

    /// Returns another form of the date, or another date.
    private static func date(
        _ text: String,
        days: Int = 0,
        form: String = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    ) throws -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = try #require(formatter.date(from: text))
        formatter.dateFormat = form
        return formatter.string(from: date.addingTimeInterval(Double(days) * 86_400))
    }

    /// Returns the asctime form. Days of one digit have a space before them.
    private static func asctime(_ text: String) throws -> String {
        let parts = try date(text, form: "EEE MMM d HH:mm:ss yyyy").split(separator: " ").map(String.init)
        return "\(parts[0]) \(parts[1]) \(parts[2].count == 1 ? " " : "")\(parts[2]) \(parts[3]) \(parts[4])"
    }
}
