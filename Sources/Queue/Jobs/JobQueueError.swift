/// A failed call to a queue. The message says what to do.
package struct JobQueueError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable {
        /// The name is empty or too long, or the content too large.
        case badJob
        /// The configuration is invalid, or the server is not suited to hold jobs.
        case misconfigured
        /// Another process uses the queue's file.
        case inUse
        /// The queue's file or folder belongs to another user, is a link, or is writable by others.
        case untrusted
        /// The disk is full or not writable.
        case noSpace
        /// The server cannot be reached or cannot answer now.
        case unavailable
        /// The server or the database library sent something unexpected.
        case broken
    }

    package var reason: Reason
    package var description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
