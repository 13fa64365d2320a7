import Base
package import Foundation

/// Waits until `look` returns a value.
///
/// The test's time limit bounds the wait: it cancels the test, and then this throws `CancellationError`.
package func eventually<Value>(_ look: () async throws -> Value?) async throws -> Value {
    while true {
        if let value = try await look() { return value }
        try await SystemTime().sleep(for: .milliseconds(1))
    }
}

/// Waits until a condition holds, like the other function.
package func eventually(_ isTrue: () async throws -> Bool) async throws {
    _ = try await eventually { try await isTrue() ? true : nil }
}

/// The limit of what cancellation cannot end: half of a test's time limit, so that the test still fails by itself.
package enum BlockingLimit {
    package static let seconds = 300

    /// Limits the time for which one call blocks on a socket. Then it fails with `EAGAIN`.
    package static func set(on socket: Int32) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Ends this process, that of an exit test, when the limit has passed: nobody else would.
    package static func begin(seconds: Int = seconds) { alarm(UInt32(seconds)) }
}

extension Process {
    /// A program that is killed when the limit has passed.
    package convenience init(_ program: String, _ arguments: [String]) {
        self.init()
        executableURL = URL(filePath: "/usr/bin/timeout")
        self.arguments = ["--signal=KILL", "\(BlockingLimit.seconds)", program] + arguments
    }
}
