import CLinux

/// The protection of this process's memory, which holds tokens and keys, from other processes of its user.
package enum ProcessSecrecy {
    /// Forbids core dumps, debuggers, and reading `/proc/PID/environ` and `mem`: prctl(2), `PR_SET_DUMPABLE`. Programs
    /// that this process starts are not concerned. Failure is harmless: then it is as it was.
    package static func begin() { _ = clinux_process_control(dumpable, 0) }

    package static var isOn: Bool { clinux_process_control(isDumpable, 0) == 0 }

    private static let dumpable = PR_SET_DUMPABLE
    private static let isDumpable = PR_GET_DUMPABLE
}
