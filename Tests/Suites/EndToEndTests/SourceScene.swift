import Foundation
import Support

/// A source that needs a key, with its servers, the configuration for it, and the secrets that nothing may show.
struct SourceScene {
    /// A kind of source.
    enum Kind: String, CaseIterable {
        case basic, bearer, certificate, object
        /// An object, with temporary credentials.
        case lentObject
    }

    /// The state of the key, or of the rule that has it.
    enum Condition: String, CaseIterable {
        case works, wrongKey, expiredKey, redirect, noRule
    }

    let url: String
    private(set) var environment: [String: String] = [:]
    private(set) var options: [String] = []
    private(set) var secrets: [String]
    /// The server that a redirect leads to.
    let other: OriginServer
    private let servers: [Any]

    private static let wrong = "wrong-key-7d1b3f5a"

    /// Starts the servers, and writes the configuration to the program's folder.
    init(_ kind: Kind, _ condition: Condition, photo: [UInt8], in folder: TemporaryFolder)
        async throws
    {
        let other = try OriginServer { _ in .body(photo) }
        self.other = other
        switch kind {
        case .basic, .bearer:
            let secret =
                kind == .basic
                ? "Basic \(Data("user:password-3c5e7a9b".utf8).base64EncodedString())" : "Bearer token-9f8e7d6c"
            let given = condition == .wrongKey ? "Bearer \(Self.wrong)" : secret
            let origin = try OriginServer(address: kind == .basic ? "127.0.0.1" : "127.0.0.2") { request in
                if condition == .redirect { return .redirect(to: other.url("/elsewhere.jpg")) }
                let isWelcome = request.headers["authorization"] == secret && condition != .expiredKey
                return isWelcome ? .body(photo) : .status(401)
            }
            let host = kind == .basic ? "127.0.0.1" : "media.internal"
            let addresses = kind == .basic ? "" : ", addresses: [127.0.0.2]"
            try folder.write("\(given)\n", to: "header")
            let rule =
                "{match: 'http://\(host):\(origin.port)/private/', headers: {Authorization: {file: header}}\(addresses)}"
            try Self.write(condition == .noRule ? nil : rule, to: folder)
            (url, secrets, servers) = ("http://\(host):\(origin.port)/private/photo.jpg", [given, secret], [origin])
            secrets += ["password-3c5e7a9b", "token-9f8e7d6c", Self.wrong]
        case .certificate:
            let client = try TemporaryFolder()
            let make = condition == .expiredKey ? TestCertificate.makeExpired : { try TestCertificate.make(in: $0) }
            try make(client.url)
            let known = client.url.appending(path: TestCertificate.certificate).path
            let guarded = ["-Verify", "1", "-verify_return_error", "-CAfile", known]
            let target = try TLSOrigin(["/photo.jpg": .body(photo)], arguments: guarded)
            let answer = condition == .redirect ? OriginAnswer.redirect(to: target.url("/photo.jpg")) : .body(photo)
            let origin = try TLSOrigin(["/photo.jpg": answer], arguments: guarded)
            // The origin goes on to trust the certificate that was there at its start.
            if condition == .wrongKey { try TestCertificate.make(in: client.url) }
            var key = ""
            for name in [TestCertificate.certificate, TestCertificate.key] {
                key = try String(contentsOf: client.url.appending(path: name), encoding: .utf8)
                try folder.write(key, to: name)
            }
            let authorities = try [origin, target].map {
                try String(contentsOfFile: $0.authoritiesFile, encoding: .utf8)
            }
            let trusted = try folder.write(authorities.joined(), to: "authorities.pem")
            let rule = "{match: '\(origin.url("/"))', certificate: authority.pem, key: key.pem}"
            try Self.write(condition == .noRule ? nil : rule, to: folder)
            options = ["--ca-file", trusted]
            secrets = key.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-----") }
            (url, servers) = (origin.url("/photo.jpg"), [origin, target, client])
        case .object, .lentObject:
            let moto = try MotoServer()
            try await moto.put("private/photo.jpg", photo)
            let store = try OriginServer { _ in .redirect(to: other.url("/elsewhere.jpg")) }
            var user = kind == .object ? moto.reader : moto.lent
            if condition == .expiredKey {
                (user.accessKeyID, user.secretAccessKey) = (moto.former.accessKeyID, moto.former.secretAccessKey)
            }
            if condition == .wrongKey { user.secretAccessKey = Self.wrong }
            let endpoint = condition == .redirect ? store.url("") : "http://127.0.0.1:\(moto.port)"
            let rule = "{match: 's3://media/private/', endpoint: '\(endpoint)', region: \(MotoServer.region)}"
            try Self.write(condition == .noRule ? nil : rule, to: folder)
            environment = [
                "AWS_ACCESS_KEY_ID": user.accessKeyID, "AWS_SECRET_ACCESS_KEY": user.secretAccessKey,
                "AWS_SESSION_TOKEN": user.sessionToken ?? "",
            ]
            secrets = [user.secretAccessKey] + [user.sessionToken].compactMap(\.self)
            (url, servers) = ("s3://media/private/photo.jpg", [store, moto])
        }
        options += ["--config", folder.url.appending(path: "attachd.yaml").path]
    }

    private static func write(_ rule: String?, to folder: TemporaryFolder) throws {
        try folder.write("deadline: 20s\n" + (rule.map { "sources:\n  guarded: \($0)\n" } ?? ""), to: "attachd.yaml")
    }

    func stop() {
        other.stop()
        for case let server as OriginServer in servers { server.stop() }
    }
}
