/// Why a queue could not do what it was asked to. The message says what to do.
package struct JobQueueError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable {
        /// The name is empty or too long, or the content too large.
        case badJob
        /// The configuration makes no sense, or the server is not fit to hold jobs.
        case misconfigured
        /// Another process has the queue's file.
        case inUse
        /// The queue's file or folder is another user's, a link, or open to others.
        case untrusted
        /// The disk is full, or cannot be written to.
        case noSpace
        /// The server cannot be reached, or can't answer now.
        case unavailable
        /// The server or the library said something unexpected.
        case broken
    }

    package var reason: Reason
    package var description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
