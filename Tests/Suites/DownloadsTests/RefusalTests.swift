import Base
import Media
import Support
import Synchronization
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of the address policy at the dial, for every way in which an address can get there. No test may open a
/// connection.
@Suite("Refused addresses", .timeLimit(.minutes(10)))
struct RefusalTests {
    /// The first address of every special range, and an IPv4 address in every form that carries one.
    static let addresses =
        SpecialRange.all.map(\.block.base.description) + [
            "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b:1::127.0.0.1",
            "64:ff9b:1:7f00:0:100::", "2002:7f00:1::", "2001:0:7f00:1::", "2001:0:808:808:0:0:80ff:fffe",
            "2a00::5efe:127.0.0.1", "2a00::200:5efe:127.0.0.1",
        ]

    private static func literal(_ address: String) -> String {
        address.contains(":") ? "http://[\(address)]/" : "http://\(address)/"
    }

    @Test("as a literal in the URL", arguments: addresses)
    func literal(address: String) async throws {
        let fetched = try await Downloader(settings: DownloadSettings.patient).fetch(Self.literal(address))
        #expect(fetched.reason == .refusedAddress)
        #expect(fetched.isConsistent)
    }

    @Test("as an address of a name", arguments: addresses)
    func name(text: String) async throws {
        let address = try #require(IPAddress(text))
        var settings = DownloadSettings.patient
        settings.http.resolve = { _ in [address] }
        let fetched = try await Downloader(settings: settings).fetch("https://cdn.example/a.jpg")
        #expect(fetched.reason == .refusedAddress)
    }

    @Test("as the target of a redirect", arguments: addresses)
    func redirect(address: String) async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .redirect(to: Self.literal(address)) }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.2")).fetch(origin.url())
        #expect(fetched.reason == .refusedAddress)
    }

    @Test(
        "in an unusual notation",
        arguments: [
            "http://0/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://017700000001/",
            "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/", "http://0X7F.0.0.0x1/",
            "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:127.0.0.1]/", "http://[::]/", "http://localhost/",
            "http://LOCALHOST/", "http://localhost./", "http://foo.localhost/", "http://127.0.0.1./",
            "http://%31%32%37.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/",
        ],
    )
    func notation(url: String) async throws {
        let fetched = try await Downloader(settings: DownloadSettings.patient).fetch(url)
        // libcurl may take a notation for neither an address nor a name. It must not take it for an address to dial.
        let expected: Set<AttachmentFailure.Reason> = [.refusedAddress, .invalidURL]
        #expect(expected.contains(try #require(fetched.reason)))
    }

    @Test("the message says what to do, and only the operator sees the range")
    func message() async throws {
        let failure = try await Downloader(settings: DownloadSettings.patient).fetch("http://10.0.0.7/").failure
        #expect(
            failure?.message
                == "10.0.0.7 has no address from which attachd may download. If its address is private, see --allow-address."
        )
        #expect(failure?.concealedCause?.refusal == "10.0.0.7 is a private address (10.0.0.0/8)")
        #expect(failure?.code == .attachmentInvalidURL)
    }

    @Test("a port that doesn't serve media is refused on a public address")
    func port() async throws {
        let failure = try await Downloader(settings: DownloadSettings.patient).fetch("http://192.0.1.1:6379/").failure
        #expect(failure?.reason == .refusedAddress)
        #expect(failure?.concealedCause?.refusal?.contains("port 6379") == true)
    }

    @Test("a refused address among several of a name is skipped, and the next one is dialled")
    func several() async throws {
        let inner = try OriginServer(address: "127.0.0.1") { _ in .body([1]) }
        let outer = try OriginServer(address: "127.0.0.2") { _ in .body([2]) }
        defer {
            inner.stop()
            outer.stop()
        }
        var settings = try DownloadSettings.opening("127.0.0.2")
        settings.http.resolve = { _ in [IPAddress(v4: 0x7f00_0001), IPAddress(v4: 0x7f00_0002)] }
        let fetched = try await Downloader(settings: settings).fetch("http://cdn.example:\(outer.port)/")
        #expect(fetched.bytes == [2])
        #expect(inner.connectionCount == 0)
    }

    /// Calls the check alone: every connection was checked when it was opened, so that no origin can bring this about.
    @Test("an address is checked again before each request on a reused connection")
    func reusedConnection() throws {
        let url = try DownloadURL("http://cdn.example/")
        let body = SourceBody(
            .init(request: HTTPRequest(url: url), file: try MediaFile(byteLimit: 1), ranges: RangeRule())
        )
        var request = HTTPRequest(url: url)
        request.timeLimit = .seconds(1)
        let transfer = try Transfer(request, body, HTTPSettings(), LoopSockets(), nil, id: 1, time: SystemTime())
        #expect(transfer.willSendRequest(to: "8.8.8.8", port: 80))
        #expect(!transfer.willSendRequest(to: "127.0.0.1", port: 80))
        #expect(!transfer.willSendRequest(to: "8.8.8.8", port: 6379))
        #expect(!transfer.willSendRequest(to: "", port: 80))
    }

    /// Simulates the resolver by libcurl's own table of names: the library resolves in threads through the C library
    /// here, and the C library can't be given a name server for a test.
    @Test("a name that changes from a public to a private address is refused the second time")
    func rebinding() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in
            var answer = OriginAnswer.body([1])
            answer.framing = .none
            return answer
        }
        defer { origin.stop() }
        let lookups = Mutex(0)
        var settings = try DownloadSettings.opening("127.0.0.2")
        settings.http.resolve = { _ in
            lookups.withLock { count in
                count += 1
                return [IPAddress(v4: count == 1 ? 0x7f00_0002 : 0x7f00_0001)]
            }
        }
        let downloader = Downloader(settings: settings)
        let url = "http://rebinding.example:\(origin.port)/"
        #expect(try await downloader.fetch(url).bytes == [1])
        #expect(try await downloader.fetch(url).reason == .refusedAddress)
        #expect(origin.requests.count == 1)
    }
}
