import Base
import Jobs

/// The producers' servers, which take the answers that workers post.
struct SimulatedCallbacks: CallbackPoster {
    let time: SimulatedTime
    let faults: Faults
    let checks: QueueChecks

    func post(_ callback: CallbackRequest) async -> CallbackResult {
        try? await time.sleep(for: .milliseconds(Int.random(in: 1...50)))
        let fault = faults.callback
        switch fault {
        case .refuses: return CallbackResult(.refused, reason: "The simulated server refuses.")
        case .busy: return CallbackResult(.postponed, pause: .milliseconds(300))
        case .hangs: try? await time.sleep(until: callback.deadline)
        case .fails, nil: break
        }
        let isReceived = fault == nil || Bool.random()
        // A server may take an answer and fail to say so.
        if isReceived, let id = callback.headers["Attachd-Job"] {
            checks.received(callback, of: id)
            let attempt = callback.headers["Attachd-Attempt"].flatMap { Int($0) }
            if fault == nil, let attempt { checks.acknowledged(id, attempt: attempt) }
        }
        return CallbackResult(fault == nil ? .received : .failed)
    }
}
