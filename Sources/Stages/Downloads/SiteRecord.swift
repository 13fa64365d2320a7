import Media
import Timing

/// What is under way at one site, and whether its sources come at a useful rate.
struct SiteRecord {
    /// The number of its origins that are remembered.
    var originCount = 0
    var inFlight = 0
    var waiting = 0
    /// The number of its requests that were told to give way, and have not ended yet.
    var ending = 0
    /// Opens when most of its requests are too slow while others wait, over all origins of the site: their names cost
    /// its owner nothing.
    var breaker: CircuitBreaker

    var isActive: Bool { inFlight + waiting > 0 }
}
