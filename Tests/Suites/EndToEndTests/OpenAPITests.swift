import Foundation
import Payloads
import Support
import Testing

@Suite("The OpenAPI description", .timeLimit(.minutes(10)))
struct OpenAPITests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test("every described route and method exists, and answers as described")
    func routes() async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            let paths = members(try await description(sidecar)["paths"])
            #expect(paths.count >= 10)
            for path in paths {
                for operation in members(path.value) where operation.key != "parameters" {
                    let target = path.key.replacing(/{\w+}/, with: "unknown")
                    let method = operation.key.uppercased()
                    let answer = try await sidecar.send(method, target)
                    #expect(!answer.text.contains("There is nothing at"), "\(method) \(target)")
                    let described = members(operation.value["responses"]).map(\.key)
                    #expect(described.contains("\(answer.status)"), "\(method) \(target)")
                }
            }
        }
    }

    @Test("a result has exactly the described members")
    func result() async throws {
        let photo = SampleMedia.photo
        let origin = try OriginServer { _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--public-url", "https://push.example"]) { sidecar in
            let schemas = try await description(sidecar)["components"]?["schemas"]
            let result = try JSONValue(parsing: try await sidecar.post(origin.url("/photo.jpg")).body)
            guard case .array(let attachments)? = result["attachments"] else {
                throw HTTPClient.Failure(message: "none")
            }
            let described = schemas?["Attachment"]?["properties"]
            // A result without remarks has no such member.
            #expect(keys(result) == keys(schemas?["Result"]?["properties"]).subtracting(["remarks"]))
            #expect(keys(attachments.first) == keys(described))
            #expect(keys(attachments.first?["source"]) == keys(schemas?["Source"]?["properties"]))
            #expect(keys(result["timings"]) == keys(schemas?["Timings"]?["properties"]))
        }
    }

    @Test("every example of a request is accepted, and every operation has an identifier of its own")
    func examples() async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            let paths = members(try await description(sidecar)["paths"])
            let operations = paths.flatMap { path in
                members(path.value).filter { $0.key != "parameters" }.map { (path.key, $0.key, $0.value) }
            }
            let identifiers = operations.compactMap { $0.2["operationId"]?.text }
            #expect(Set(identifiers).count == operations.count)
            var count = 0
            for (path, method, operation) in operations {
                let body = operation["requestBody"]?["content"]?["application/json"]
                for example in members(body?["examples"]) {
                    let value = try #require(example.value["value"])
                    let answer = try await sidecar.send(method.uppercased(), path, body: value.compactBytes)
                    #expect([200, 202].contains(answer.status), "\(path) \(example.key): \(answer.text)")
                    count += 1
                }
            }
            #expect(count >= 5)
        }
    }

    private func description(_ sidecar: RunningSidecar) async throws -> JSONValue {
        let answer = try await sidecar.get("/openapi.json")
        #expect(answer.headers["content-type"] == "application/json")
        return try JSONValue(parsing: answer.body)
    }

    private func members(_ value: JSONValue?) -> [JSONValue.Member] {
        guard case .object(let members)? = value else { return [] }
        return members
    }

    private func keys(_ value: JSONValue?) -> Set<String> { Set(members(value).map(\.key)) }
}
