/// A problem of a queue that keeps working.
package enum QueueWarning: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The queue's file was removed or replaced by another file.
    case fileRemoved
    /// The queue's disk is full.
    case diskFull

    package var description: String {
        switch self {
        case .fileRemoved:
            "The queue's file was removed or replaced while it was used. Its jobs go on. Leave its folder alone."
        case .diskFull:
            "The queue's disk is full. Jobs in the queue go on, new ones are refused. Free some disk space."
        }
    }
}
