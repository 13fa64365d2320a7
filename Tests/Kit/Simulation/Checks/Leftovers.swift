import Decoding
import HTTPClient

/// The parts of workers that must be gone when their last tasks are.
struct Leftovers {
    private struct Part {
        var name: String
        weak var object: AnyObject?
    }

    private var parts: [Part] = []
    private var texts: [String] = []

    init(_ workers: [SimulatedWorker]) {
        for worker in workers {
            let name = worker.machine.name
            let usage = worker.origins.usage
            if usage.inFlight > 0 { texts.append("\(name) has \(usage.inFlight) permits") }
            if usage.waiting > 0 { texts.append("\(name) has \(usage.waiting) requests that wait for a permit") }
            if worker.checks.heldCount > 0 { texts.append("\(name) has \(worker.checks.heldCount) jobs") }
            let status = worker.decoders.status
            if status.running + status.waiting > 0 { texts.append("\(name) has jobs with its decoders") }
            if status.heldBytes > 0 { texts.append("\(name)'s decoders have \(status.heldBytes) bytes") }
            if worker.host.count > 0 || status.children > 0 { texts.append("\(name) has decoder processes") }
            parts += [
                Part(name: "\(name)'s downloads", object: worker.origins),
                Part(name: "\(name)'s decoders", object: worker.decoders),
                Part(name: "\(name)'s store", object: worker.store),
            ]
        }
    }

    /// The first thing that is left.
    var first: String? {
        texts.first ?? parts.first { $0.object != nil }.map { "a task still holds \($0.name)" }
    }
}
