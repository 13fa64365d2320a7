import Jobs
import Testing

@testable import JobsRedis

@Suite("The meaning of Redis's errors")
struct RedisFailureTests {
    @Test(
        "a server with a temporary problem is asked again",
        arguments: [
            "LOADING Redis is loading the dataset in memory", "READONLY You can't write against a read only replica.",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
            "ERR Error running script (call to f_0): @user_script:3: -READONLY You can't write against a replica.",
        ]
    )
    func passing(text: String) {
        let failure = RedisError(reply: text)
        #expect(failure.wasNotDone)
        #expect(failure.queueError(at: "h:1").reason == .unavailable)
    }

    @Test(
        "a server that forgot scripts or streams gets them again",
        arguments: [
            "NOSCRIPT No matching script. Please use EVAL.", "ERR no such key",
            "NOGROUP No such key 'attachd:{default}:jobs:hi' or consumer group 'workers'",
            "ERR Error running script (call to f_0): @user_script:9: NOGROUP No such key 'x'",
        ]
    )
    func forgotten(text: String) { #expect(RedisError(reply: text) == .forgotten) }

    @Test(
        "all other errors are final, and say who must act",
        arguments: [
            ("OOM command not allowed when used memory > 'maxmemory'.", JobQueueError.Reason.noSpace),
            ("MISCONF Errors writing to the AOF file: No space left on device", .noSpace),
            ("WRONGPASS invalid username-password pair or user is disabled.", .misconfigured),
            ("NOPERM this user has no permissions to run the 'evalsha' command", .misconfigured),
            ("NOAUTH Authentication required.", .misconfigured),
            ("MISMATCH this queue speaks version 2 of the protocol, not 1", .misconfigured),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", .broken), ("", .broken),
        ]
    )
    func final(text: String, reason: JobQueueError.Reason) {
        let failure = RedisError(reply: text)
        #expect(!failure.wasNotDone)
        #expect(failure.queueError(at: "h:1").reason == reason)
    }
}
