import Jobs
import Processing
import Support
import Testing

@testable import Sidecar

@Suite("Permits for requests", .timeLimit(.minutes(10)))
struct AdmissionTests {
    /// Returns the error of a request that is not admitted.
    private func refusal(_ admission: Admission, for tenant: String?) async -> Problem? {
        do {
            try await admission.admit(for: tenant) {}
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test("a named tenant has its share of the permits, and leaves the others theirs")
    func shares() async throws {
        let admission = Admission(limit: 4, shares: TenantShares(of: 4, percentage: 50, listed: ["vip": 75]))
        let (started, end) = (Signal(), Signal())
        async let first: Void = admission.admit(for: "loud") {
            try await admission.admit(for: "loud") {
                started.send()
                await end.hang()
            }
        }
        await started.wait()
        let refused = await refusal(admission, for: "loud")
        #expect(refused?.retryAfter == 1)
        #expect(refused?.detail.contains("does not list have 2 requests") == true)
        #expect(await refusal(admission, for: "vip") == nil)
        #expect(await refusal(admission, for: nil) == nil)
        try await admission.admit(for: "vip") {
            try await admission.admit(for: "vip") {
                let full = await refusal(admission, for: nil)
                #expect(full?.detail.contains("4 requests are in progress") == true)
            }
        }
        end.send()
        try await first
        #expect(admission.running == 0)
        #expect(await refusal(admission, for: "loud") == nil)
    }

    @Test("a request that waits for a picture lends its permit, at most a quarter of all at a time")
    func lent() async throws {
        let admission = Admission(limit: 4, shares: TenantShares(of: 4, percentage: 50, listed: ["vip": 50]))
        try await admission.admit(for: "vip") {
            let slot = try #require(WorkSlot.current)
            #expect(slot.wait() && admission.running == 0)
            try await admission.admit(for: "vip") {
                #expect(WorkSlot.current?.wait() == false)
                try await admission.admit(for: "vip") {
                    #expect(await refusal(admission, for: "vip") != nil)
                    #expect(admission.running == 2)
                }
            }
            slot.goOn()
            #expect(admission.running == 1)
            try await admission.admit(for: "vip") {
                #expect(await refusal(admission, for: "vip") != nil)
                #expect(WorkSlot.current?.wait() == true)
            }
        }
        #expect(admission.running == 0)
        #expect(await refusal(admission, for: "vip") == nil)
    }

    @Test("tenants that are not listed have one share together, however they are named")
    func invented() async throws {
        let admission = Admission(limit: 4, shares: TenantShares(of: 4, percentage: 50, listed: ["vip": nil]))
        try await admission.admit(for: "a") {
            try await admission.admit(for: "b") {
                let refused = await refusal(admission, for: "c")
                #expect(refused?.detail.contains("that the configuration does not list have 2 requests") == true)
                #expect(await refusal(admission, for: "vip") == nil)
                #expect(await refusal(admission, for: nil) == nil)
            }
            #expect(await refusal(admission, for: "c") == nil)
        }
        #expect(admission.running == 0)
    }

    @Test(
        "the name of a tenant is checked wherever a request gives it",
        arguments: [
            ("/v1/rewrite", ["Attachd-Tenant": "a b"], #"{"aps":{}}"#, 400),
            ("/v1/rewrite", ["Attachd-Tenant": "chat"], #"{"aps":{}}"#, 200),
            ("/v1/notifications", [:], #"{"tenant":"a b","payload":{"aps":{}}}"#, 422),
            ("/v1/notifications", [:], #"{"tenant":"chat","payload":{"aps":{}}}"#, 200),
        ]
    )
    func names(path: String, headers: [String: String], body: String, status: Int) async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await sidecar.send("POST", path, body, headers: headers)
            #expect(answer.status == status, "\(answer.text)")
        }
    }
}
