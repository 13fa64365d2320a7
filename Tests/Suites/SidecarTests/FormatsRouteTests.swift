import Media
import Support
import Synchronization
import Testing

@Suite("Formats that are switched off over HTTP", .timeLimit(.minutes(10)))
struct FormatsRouteTests {
    private func post(
        _ body: String,
        to sidecar: SidecarFixture,
        headers: [String: String] = [:],
    ) async throws -> HTTPClient.Answer {
        try await sidecar.send("POST", "/v1/formats", body, headers: headers)
    }

    @Test("a list replaces the one before, and both lists and all names are told")
    func lists() async throws {
        let formats = FormatSwitch(settings: DisabledFormats.reading(["gif"]).disabled)
        try await SidecarFixture.run(formats: formats) { sidecar in
            for (body, fleet, all) in [
                (#"{"disabled":["HEIC","hevc"]}"#, #"["heic","hevc"]"#, #"["gif","heic","hevc"]"#),
                (#"{"disabled":["av1"]}"#, #"["av1"]"#, #"["gif","av1"]"#),
                (#"{"disabled":[]}"#, "[]", #"["gif"]"#),
            ] {
                let answer = try await post(body, to: sidecar)
                let start = #"{"disabled":\#(all),"settings":["gif"],"fleet":\#(fleet),"formats":["jpeg",""#
                #expect(answer.status == 200 && answer.text.hasPrefix(start), "\(answer.text)")
                let read = try await sidecar.send("/v1/formats")
                #expect(read.text == answer.text)
            }
        }
    }

    @Test(
        "what is not a list of known names changes nothing",
        arguments: [
            ("", 400), ("[", 400), ("[]", 422), ("{}", 422), (#"{"disabled":"heic"}"#, 422),
            (#"{"disabled":[1]}"#, 422),
            (#"{"disabled":["heif"]}"#, 422), (#"{"disabled":["heic"],"enabled":[]}"#, 422),
        ],
    )
    func refused(body: String, status: Int) async throws {
        let formats = FormatSwitch()
        try await SidecarFixture.run(formats: formats) { sidecar in
            let answer = try await post(body, to: sidecar)
            #expect(answer.status == status && !answer.text.contains("heif"), "\(answer.text)")
            #expect(formats.disabled.isEmpty)
        }
    }

    @Test("a list that the fleet does not get is answered with 503")
    func unavailable() async throws {
        try await SidecarFixture.run(formats: FormatSwitch(), takesFormats: false) { sidecar in
            let answer = try await post(#"{"disabled":["heic"]}"#, to: sidecar)
            #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
        }
    }

    @Test("needs the token, or without one a client that is not behind a proxy and no page of another site")
    func access() async throws {
        let token = "0123456789abcdef"
        let body = #"{"disabled":["heic"]}"#
        try await SidecarFixture.run(token: token, formats: FormatSwitch()) { sidecar in
            let without = try await post(body, to: sidecar)
            let with = try await post(body, to: sidecar, headers: ["Authorization": "Bearer \(token)"])
            let read = try await sidecar.send("/v1/formats")
            #expect(without.status == 401 && with.status == 200 && read.status == 401)
        }
        let formats = FormatSwitch()
        try await SidecarFixture.run(formats: formats) { sidecar in
            for header in [
                "Forwarded", "X-Forwarded-For", "X-Real-IP", "Via", "X-Forwarded-Proto", "x-forwarded-host", "CF-Ray",
                "CF-Connecting-IP", "X-Envoy-External-Address", "x-envoy-decorator-operation",
            ] {
                let answer = try await post(body, to: sidecar, headers: [header: "203.0.113.7"])
                #expect(answer.status == 403, "\(header)")
            }
            let foreign = try await post(body, to: sidecar, headers: ["Origin": "https://evil.example"])
            #expect(foreign.status == 403 && formats.disabled.isEmpty)
        }
    }
}
