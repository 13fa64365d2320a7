import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

@Suite("TLS", .timeLimit(.minutes(10)))
struct TLSTests {
    private func settings(trusting origin: TLSOrigin?) throws -> DownloadSettings {
        var settings = try DownloadSettings.opening("127.0.0.1")
        settings.http.authoritiesFile = origin?.authoritiesFile
        settings.http.resolve = { $0.hasSuffix(".test") ? [IPAddress(v4: 0x7f00_0001)] : nil }
        return settings
    }

    @Test("an origin whose authority is trusted is read", arguments: ["127.0.0.1", "origin.test"])
    func trusted(host: String) async throws {
        let body = pattern(200_000)
        let origin = try TLSOrigin(["/a": .body(body, type: "image/png")])
        let fetched = try await Downloader(settings: settings(trusting: origin)).fetch(origin.url("/a", host: host))
        #expect(fetched.failure == nil)
        #expect(fetched.holds(body))
    }

    @Test("an origin of an unknown authority is not read")
    func untrusted() async throws {
        let origin = try TLSOrigin(["/a": .body([1])])
        let fetched = try await Downloader(settings: settings(trusting: nil)).fetch(origin.url("/a"))
        #expect(fetched.reason == .tlsFailed)
        #expect(fetched.bytes.isEmpty)
        #expect(fetched.isConsistent)
    }

    @Test("an origin that leaves out the certificate that signed its own is not read, and the message says what to do")
    func missingIssuer() async throws {
        let folder = try TemporaryFolder()
        try TestCertificate.make(in: folder.url, names: "DNS:issuer.test")
        let extensions = try folder.write("subjectAltName=\(TestCertificate.names)\n", to: "extensions")
        for arguments in [
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=leaf.test",
                "-keyout",
                "leaf.key", "-out", "leaf.csr",
            ],
            [
                "x509", "-req", "-in", "leaf.csr", "-CA", TestCertificate.certificate, "-CAkey", TestCertificate.key,
                "-CAcreateserial", "-days", "1", "-extfile", extensions, "-out", "leaf.pem",
            ],
        ] {
            #expect(try ChildProgram(["/usr/bin/openssl"] + arguments, in: folder.url).wait() == 0)
        }
        let leaf = ["-cert", "\(folder.path)/leaf.pem", "-key", "\(folder.path)/leaf.key"]
        let origin = try TLSOrigin(["/a": .body([1])], arguments: leaf)
        let failure = try await Downloader(settings: settings(trusting: nil)).fetch(origin.url("/a")).failure
        #expect(failure?.reason == .tlsFailed && failure?.message.contains("--ca-file") == true)
        var trusting = try settings(trusting: nil)
        trusting.http.authoritiesFile = "\(folder.path)/\(TestCertificate.certificate)"
        #expect(try await Downloader(settings: trusting).fetch(origin.url("/a")).bytes == [1])
    }

    @Test("a certificate of another host is not accepted")
    func wrongHost() async throws {
        let origin = try TLSOrigin(["/a": .body([1])])
        let downloader = try Downloader(settings: settings(trusting: origin))
        let fetched = try await downloader.fetch(origin.url("/a", host: "other.test"))
        #expect(fetched.reason == .tlsFailed)
    }

    @Test("TLS 1.1 is not spoken")
    func oldVersion() async throws {
        let origin = try TLSOrigin(["/a": .body([1])], arguments: ["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"])
        let fetched = try await Downloader(settings: settings(trusting: origin)).fetch(origin.url("/a"))
        #expect(fetched.reason == .tlsFailed)
    }

    @Test("an origin that leaves the handshake unanswered is given up at the connect timeout")
    func silentHandshake() async throws {
        let origin = try OriginServer { _ in .body([1]) }
        defer { origin.stop() }
        var settings = try settings(trusting: nil)
        settings.http.connectTimeout = .milliseconds(100)
        let failure = try await Downloader(settings: settings).fetch("https://127.0.0.1:\(origin.port)/").failure
        #expect(failure?.reason == .connectionFailed)
        #expect(failure?.message == "127.0.0.1 could not be reached within 0.1 seconds.")
    }

    @Test("a redirect from https to http is not followed")
    func downgrade() async throws {
        let plain = try OriginServer { _ in .body([1]) }
        defer { plain.stop() }
        let origin = try TLSOrigin(["/a": .redirect(to: plain.url())])
        let fetched = try await Downloader(settings: settings(trusting: origin)).fetch(origin.url("/a"))
        #expect(fetched.reason == .refusedScheme)
        #expect(plain.connectionCount == 0)
    }

    @Test("a connection that breaks off without TLS's own end is not a complete body")
    func cut() async throws {
        var answer = OriginAnswer.body(pattern(1_000))
        answer.framing = .claimedLength(2_000)
        let origin = try TLSOrigin(["/a": answer])
        let fetched = try await Downloader(settings: settings(trusting: origin)).fetch(origin.url("/a"))
        #expect(fetched.reason == .truncated)
        #expect(fetched.holds(pattern(1_000)))
    }

    @Test("a missing file of authorities is named as the cause")
    func missingAuthorities() async throws {
        let origin = try TLSOrigin(["/a": .body([1])])
        var settings = try settings(trusting: origin)
        settings.http.authoritiesFile = "/nonexistent/authorities.pem"
        let failure = try await Downloader(settings: settings).fetch(origin.url("/a")).failure
        #expect(failure?.reason == .tlsFailed)
        #expect(failure?.message == "The file of certificate authorities cannot be read.")
    }
}
