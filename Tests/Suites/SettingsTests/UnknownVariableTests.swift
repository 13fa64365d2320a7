import Foundation
import Support
import Testing

@testable import Settings

@Suite("Variables that look like settings")
struct UnknownVariableTests {
    private func unknown(_ environment: [String: String], file: String? = nil) throws -> [UnknownVariable] {
        try Settings(reading: SettingsSource(environment: environment, configurationFile: file)).unknownVariables
    }

    @Test(
        "are reported with the one that was probably meant",
        arguments: [
            ("ATTACHD_DEADLIN", "ATTACHD_DEADLINE"), ("ATTACHD_API_TOKEN", "ATTACHD_API_TOKEN_FILE"),
            ("ATTACHD_PUBLICURL", "ATTACHD_PUBLIC_URL"), ("ATTACHD_DISABLED_FORMATS", nil), ("ATTACHD_X", nil),
            ("ATTACHD_ALLOW_ADDRESS", "ATTACHD_ALLOW_ADDRESSES"), ("ATTACHD_CONFI", "ATTACHD_CONFIG"),
        ] as [(String, String?)]
    )
    func misspelled(name: String, suggestion: String?) throws {
        let unknown = try unknown([name: "hunter2"])
        #expect(unknown.map(\.name) == [name])
        if let suggestion { #expect(unknown.first?.suggestion == suggestion) }
        let text = unknown.first?.description ?? ""
        #expect(text.contains("\(name) is ignored") && !text.contains("hunter2"), "\(text)")
    }

    @Test("those for a proxy are reported, because attachd uses none")
    func proxy() throws {
        let unknown = try unknown(["HTTPS_PROXY": "http://user:hunter2@a:1", "no_proxy": "a"])
        let text = unknown.map(\.description).joined()
        #expect(unknown.map(\.name) == ["HTTPS_PROXY"])
        #expect(text.contains("attachd uses no proxy") && !text.contains("hunter2"), "\(text)")
    }

    @Test("each is reported once, in order, and no more than twenty")
    func several() throws {
        #expect(
            try unknown(["ATTACHD_Z": "1", "ATTACHD_A": "1", "PATH": "/bin"]).map(\.name) == ["ATTACHD_A", "ATTACHD_Z"]
        )
        let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("ATTACHD_X\($0)", "1") })
        #expect(try unknown(many).count == 20)
    }

    @Test("no variable of a setting is unknown", arguments: UnknownVariable.known)
    func settings(name: String) {
        #expect(UnknownVariable.all(in: [name: "1"], named: []).isEmpty)
    }

    @Test(
        "those of Kubernetes' services, of the project's scripts, and empty ones are not reported",
        arguments: [
            "ATTACHD_SERVICE_HOST", "ATTACHD_SERVICE_PORT", "ATTACHD_SERVICE_PORT_HTTP", "ATTACHD_PORT",
            "ATTACHD_PORT_8080_TCP", "ATTACHD_PORT_8080_TCP_ADDR", "ATTACHD_PORT_8080_TCP_PORT",
            "ATTACHD_METRICS_PORT_9090_TCP_PROTO", "ATTACHD_METRICS_SERVICE_HOST", "ATTACHD_BIN",
        ]
    )
    func others(name: String) throws {
        #expect(try unknown([name: "1"]).isEmpty)
        #expect(try unknown(["ATTACHD_DEADLIN": ""]).isEmpty)
    }

    @Test("one that the configuration file names is not reported")
    func named() throws {
        let folder = try TemporaryFolder()
        let rule = "sources: {a: {match: 'https://a.example/', headers: {A: {env: ATTACHD_CDN_KEY}}}}"
        let file = try folder.write(rule, to: "attachd.yaml")
        #expect(try unknown(["ATTACHD_CDN_KEY": "hunter2", "ATTACHD_X": "1"], file: file).map(\.name) == ["ATTACHD_X"])
    }
}
