import Base
import Logging
package import Sidecar

/// The observer of the HTTP server. Requests are counted and shown in traces, but not logged.
package struct SidecarObserver: EventRecorder {
    private let requests = Counter(
        "attachd_http_requests_total",
        "Requests answered, by method, route and status.",
        by: "method",
        "route",
        "status",
    )
    private let busy = Counter("attachd_jobs_busy_total", "Jobs refused because the queue was full.")
    private let log: Logger
    private let tracer: SpanTracer?

    init(log: Logger, tracer: SpanTracer?) {
        self.log = log
        self.tracer = tracer
    }

    package func record(_ event: SidecarEvent) {
        switch event {
        case .listening(let port): log.notice("attachd listens.", metadata: ["port": "\(port)"])
        case .metricsListening(let port):
            log.notice("attachd serves metrics.", metadata: ["metrics_port": "\(port)"])
        case .answered(let request): requests.add(request.method, request.route ?? "none", "\(request.status)")
        case .jobRefused: busy.add()
        case .work(let activity, .begins(let caller)):
            activity.span = tracer?.span("POST", .server, below: caller.flatMap(SpanContext.init))
        case .work(let activity, .answered(let request)): (activity.span as? RecordedSpan)?.add(request)
        }
    }
}

extension RecordedSpan {
    /// Gives the span the names of OpenTelemetry's semantic conventions. The route has the names of its parameters, not
    /// their values.
    fileprivate func add(_ request: AnsweredRequest) {
        let route = request.route ?? "none"
        rename("\(request.method) \(route)")
        add([
            "http.request.method": .text(request.method), "http.route": .text(route),
            "http.response.status_code": .number(request.status),
        ])
        // An answer of 400 to 499 is not an error of the server's span.
        if request.status >= 500 { fail() }
    }
}
