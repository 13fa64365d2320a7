import CLinux
import DecoderWire
import Glibc

/// What a decoder process gives up once it is warm, before its first hostile byte.
enum Lockdown {
    /// Returns when every layer that the host has is on. `report` has those that are on already.
    static func enter(_ limits: ProcessLimits, in report: SandboxReport) -> SandboxReport {
        var report = report
        report[.resourceLimits] = ResourceLimits.set(limits)
        if report[.threadLimit] == .on { report[.threadLimit] = ResourceLimits.setThreadLimit() }
        // Last: it forbids the calls above.
        do throws(SystemError) {
            try SystemCallFilter.make().load()
            report[.systemCallFilter] = .on
        } catch {
            report[.systemCallFilter] = .unavailable(error.description)
        }
        return report
    }

    /// Has the kernel end this process with its zygote. It ends now if `zygote` is gone already.
    static func dieWith(_ zygote: Int32) -> SandboxReport.State {
        guard clinux_process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else {
            return .unavailable(SystemError("prctl").description)
        }
        // It may have died before we asked.
        if getppid() != zygote { _exit(1) }
        return .on
    }
}
