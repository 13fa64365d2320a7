import Foundation
package import Testing

/// A collector of spans on a free port of loopback, which reads what it gets with OpenTelemetry's own definitions. The
/// server ends with this value.
package final class CollectorServer: LocalServer, Sendable {
    /// A span as the collector understood it.
    package struct Span: Decodable, Sendable {
        package struct Link: Decodable, Sendable {
            package var trace: String
            package var span: String
        }

        package struct Event: Decodable, Sendable {
            package var name: String
            package var time: UInt64
            package var attributes: [String: String]
        }

        package var service: String
        package var trace: String
        package var span: String
        package var parent: String
        package var name: String
        package var kind: Int
        package var start: UInt64
        package var end: UInt64
        package var attributes: [String: String]
        package var events: [Event]
        package var links: [Link]
        package var status: Int
        package var state: String
        /// The header field `Authorization` of the request that the span came with.
        package var authorization: String
    }

    private static let tools = SharedMedia.packageRoot.appending(path: ".build/python/bin").path

    package static var isInstalled: Bool {
        let packages = SharedMedia.packageRoot.appending(path: ".build/python/lib").path
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: packages)) ?? []
        return folders.contains {
            FileManager.default.fileExists(atPath: "\(packages)/\($0)/site-packages/opentelemetry/proto/trace")
        }
    }

    package let port: Int
    private let process: ChildProgram
    private let folder: TemporaryFolder
    private let requests: AsyncStream<[Span]>

    /// Starts the collector. It answers with the given statuses in turn, and then with 200.
    package init(statuses: [Int] = []) throws {
        folder = try TemporaryFolder()
        let errors = folder.url.appending(path: "errors").path
        let command = ["\(Self.tools)/python", "-c", Self.program] + statuses.map(String.init)
        process = try ChildProgram(command, in: folder.url, errors: errors)
        guard let line = try process.readLine(beginning: "ready ") else {
            process.wait()
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw HTTPClient.Failure(message: "The collector ended: \(text)")
        }
        port = Int(line.split(separator: " ")[1]) ?? 0
        let (requests, arrivals) = AsyncStream.makeStream(of: [Span].self)
        self.requests = requests
        // Reading blocks, and so has a thread of its own.
        Thread.detachNewThread { [process] in
            while let line = try? process.readLine(beginning: "[") {
                if let spans = try? JSONDecoder().decode([Span].self, from: Data(line.utf8)) { arrivals.yield(spans) }
            }
            arrivals.finish()
        }
    }

    deinit { process.kill() }

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Waits for the next request, and returns its spans. Throws if the test's time is over.
    package func nextSpans() async throws -> [Span] {
        for await spans in requests { return spans }
        throw HTTPClient.Failure(message: "The collector ended, or time did.")
    }

    /// Waits until there is a span of each of these names, and returns all spans so far.
    package func spans(named names: Set<String>) async throws -> [Span] {
        var spans: [Span] = []
        while !names.isSubset(of: spans.map(\.name)) { spans += try await nextSpans() }
        return spans
    }

    private static let program = """
        import base64, http.server, json, sys
        from google.protobuf import json_format
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service

        statuses = [int(word) for word in sys.argv[1:]]

        def plain(value):
            # OTLP's JSON has identifiers in hexadecimal, where protobuf's own JSON has base 64.
            if isinstance(value, list):
                return [plain(item) for item in value]
            if not isinstance(value, dict):
                return value
            return {key: base64.b64encode(bytes.fromhex(item)).decode()
                    if key in ("traceId", "spanId", "parentSpanId") else plain(item) for key, item in value.items()}

        def texts(attributes):
            return {a.key: str(getattr(a.value, a.value.WhichOneof("value"))) for a in attributes}

        def spans(request, authorization):
            for resource in request.resource_spans:
                name = texts(resource.resource.attributes).get("service.name", "")
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        yield {
                            "service": name, "trace": span.trace_id.hex(), "span": span.span_id.hex(),
                            "parent": span.parent_span_id.hex(), "name": span.name, "kind": span.kind,
                            "start": span.start_time_unix_nano, "end": span.end_time_unix_nano,
                            "attributes": texts(span.attributes), "status": span.status.code,
                            "state": span.trace_state, "authorization": authorization,
                            "events": [{"name": e.name, "time": e.time_unix_nano, "attributes": texts(e.attributes)}
                                       for e in span.events],
                            "links": [{"trace": l.trace_id.hex(), "span": l.span_id.hex()} for l in span.links],
                        }

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = statuses.pop(0) if statuses else 200
                if status == 200:
                    request = service.ExportTraceServiceRequest()
                    kind = self.headers["content-type"]
                    try:
                        if self.path != "/v1/traces":
                            raise ValueError(self.path)
                        if kind == "application/x-protobuf":
                            request.ParseFromString(body)
                            known = request.ByteSize()
                            request.DiscardUnknownFields()
                            if request.ByteSize() != known:
                                raise ValueError("unknown fields")
                        elif kind == "application/json":
                            json_format.ParseDict(plain(json.loads(body)), request)
                        else:
                            raise ValueError(kind)
                        print(json.dumps(list(spans(request, self.headers.get("authorization", "")))), flush=True)
                    except Exception as error:
                        print(error, file=sys.stderr, flush=True)
                        status = 400
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("ready", server.server_port, flush=True)
        server.serve_forever()
        """
}

extension Trait where Self == ConditionTrait {
    /// A trait that runs a test only where OpenTelemetry's definitions are installed.
    package static var needsCollector: Self {
        .enabled(if: CollectorServer.isInstalled, "opentelemetry-proto is not installed; Scripts/test does that")
    }
}
