/// Something wrong with a queue that goes on working.
package enum QueueTrouble: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The queue's file was removed, or another file stands in its place.
    case fileRemoved
    /// The queue's disk is full.
    case diskFull

    package var description: String {
        switch self {
        case .fileRemoved:
            "The queue's file was removed or replaced while it was used. Jobs that it has are worked on; leave its folder alone."
        case .diskFull:
            "The queue's disk is full. Jobs in the queue are worked on, new ones are refused. Free some space."
        }
    }
}
