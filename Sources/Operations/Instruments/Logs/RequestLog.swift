import Events
package import Logging
package import Sidecar

/// The log of the HTTP server. Requests are counted, not logged.
package struct RequestLog: Instrument {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func record(_ event: SidecarEvent) {
        switch event {
        case .listening(let port): logger.notice("attachd listens.", metadata: ["port": "\(port)"])
        case .metricsListening(let port):
            logger.notice("attachd serves metrics.", metadata: ["metrics_port": "\(port)"])
        case .answered, .jobRefused: break
        }
    }
}
