/// An event of the store, for metrics and logs.
package enum StoreEvent: Sendable, Equatable {
    package enum Removal: String, Sendable, CaseIterable {
        /// The file had expired.
        case expired
        /// The file was removed because the quota was reached.
        case madeWay
    }

    case stored(byteCount: Int)
    case removed(Removal, byteCount: Int)
    /// An attachment was not stored. `isFull` tells whether the reason is a lack of disk space.
    case failed(isFull: Bool)
}
