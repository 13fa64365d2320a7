import Media
import Timing

/// The running requests of one site, and whether its sources come at a useful rate.
struct SiteRecord {
    /// The number of the site's origins that are remembered.
    var originCount = 0
    var inFlight = 0
    /// A Boolean value that indicates whether a source of the site has come, and none was hopelessly slow since. Some permits are
    /// kept for sites that are known.
    var isKnown = false
    var waiting = 0
    /// The number of the site's requests that were told to give way, and have not ended yet.
    var ending = 0
    /// The circuit breaker for all origins of the site together, because names cost their owner nothing. It opens when
    /// most of the site's requests are too slow while others wait.
    var breaker: CircuitBreaker

    var isActive: Bool { inFlight + waiting > 0 }
}
