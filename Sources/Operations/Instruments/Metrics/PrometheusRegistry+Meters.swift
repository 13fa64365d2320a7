import Metrics
import Telemetry

extension PrometheusRegistry {
    func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: self)
    }

    func meter(_ label: String, _ dimensions: [(String, String)] = []) -> Meter {
        Meter(label: label, dimensions: dimensions, factory: self)
    }

    func timer(_ label: String, _ dimensions: [(String, String)] = []) -> Metrics.Timer {
        Metrics.Timer(label: label, dimensions: dimensions, factory: self)
    }
}
