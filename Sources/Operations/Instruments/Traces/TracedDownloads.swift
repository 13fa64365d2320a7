import Foundation
package import Media
package import Processing
import Timing
package import Tracing

/// A download step that makes a span for each download.
package struct TracedDownloads: AttachmentDownloading {
    private let base: any AttachmentDownloading
    private let tracer: any Tracer

    package init(_ base: any AttachmentDownloading, _ tracer: any Tracer) {
        self.base = base
        self.tracer = tracer
    }

    package func accessKey(of url: String) -> String? { base.accessKey(of: url) }

    package func origin(of url: String) -> String? { base.origin(of: url) }

    package func download(_ job: DownloadJob) async {
        // The host only: path and query may contain secrets.
        let host = URLComponents(string: job.url)?.host ?? "none"
        await tracer.traced("download", .client, ["server.address": "\(host)"]) { span in
            var traced = job
            traced.onEvent = { event in
                if case .head(let head) = event { span.add(head) }
                job.onEvent(event)
            }
            await base.download(traced)
            let contents = job.file.contents
            span.attributes["attachd.fetched_bytes"] = contents.present.count
            if case .cut(let failure) = contents.ending, failure.reason != .cancelled {
                span.fail(failure.reason.rawValue, failure.message)
            }
        }
    }
}

extension Tracing.Span {
    fileprivate func add(_ head: SourceHead) {
        attributes["http.response.status_code"] = head.status
        var event = SpanEvent(name: "answer", attributes: ["http.response.status_code": "\(head.status)"])
        if let time = head.connectTime { event.attributes["attachd.connect_ms"] = time.milliseconds }
        if let time = head.answerTime { event.attributes["attachd.first_byte_ms"] = time.milliseconds }
        addEvent(event)
    }
}
