import Traces
package import Tracing
package import Worker

/// A poster that makes a span for each attempt to post an answer, and sends the span's context along.
package struct TracedCallbacks: CallbackPoster {
    private let base: any CallbackPoster
    private let tracer: any Tracer

    package init(_ base: any CallbackPoster, _ tracer: any Tracer) {
        self.base = base
        self.tracer = tracer
    }

    package func post(_ callback: CallbackRequest) async -> CallbackResult {
        var context = ServiceContext.topLevel
        tracer.extract(callback.headers, into: &context, using: HeaderDictionary())
        return await tracer.traced("callback", .client, in: context) { span in
            var traced = callback
            // The producer's state goes on only with the producer's trace.
            traced.headers["tracestate"] = nil
            tracer.inject(span.context, into: &traced.headers, using: HeaderDictionary())
            let result = await base.post(traced)
            span.attributes["server.address"] = result.host ?? "none"
            span.attributes["attachd.outcome"] = result.outcome.rawValue
            // A postponed callback was not attempted.
            if [.failed, .refused].contains(result.outcome) {
                span.fail(result.outcome.rawValue, result.reason ?? "unknown")
            }
            return result
        }
    }
}

private struct HeaderDictionary: Extractor, Injector {
    func extract(key: String, from headers: [String: String]) -> String? { headers[key] }

    func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
}
