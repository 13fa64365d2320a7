/// Something that an operator counts.
package enum StoreEvent: Sendable, Equatable {
    package enum Removal: String, Sendable, CaseIterable {
        /// Its time was up.
        case expired
        /// The quota was reached.
        case madeWay
    }

    case stored(byteCount: Int)
    case removed(Removal, byteCount: Int)
    /// An attachment was not stored, because there is no place left or for another reason.
    case failed(isFull: Bool)
}
