/// The limits of lists: many notifications in one request. They leave most permits and most memory to other clients.
struct ListLimits: Sendable {
    /// The most notifications of one list.
    static let itemLimit = 100
    /// The largest body of a list, in bytes: a hundred payloads of 5 KiB, the most that APNs takes, with room for their
    /// envelopes.
    static let byteLimit = 524_288

    /// The most notifications of one list that are processed at the same time.
    let share: Int
    /// The permits that all lists together may have. Four lists of five minutes would otherwise hold them all.
    let permits: SharedAdmission
    /// The permits for bodies that are larger than the body of a single notification. A slow client holds one for as long
    /// as its body may take.
    let bodies: SharedAdmission
    /// The thread that reads lists and long bodies, with the places of those that wait for it.
    let longWork: LongWork

    /// Creates the limits of lists where `requestLimit` notifications may be processed at the same time.
    init(requestLimit: Int) {
        share = max(1, requestLimit / 8)
        permits = SharedAdmission(limit: max(1, requestLimit / 2))
        bodies = SharedAdmission(limit: max(2, requestLimit / 16))
        longWork = LongWork(places: max(8, requestLimit / 16))
    }
}
