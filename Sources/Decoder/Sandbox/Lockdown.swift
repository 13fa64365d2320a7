import CLinux
import CProcess
import DecoderWire
import Glibc
import Values

/// The rights that a decoder process gives up after its warm-up, before it reads its first untrusted byte.
enum Lockdown {
    /// Turns on every layer that the host has. `report` contains the layers that are on already.
    static func enter(_ limits: ProcessLimits, in report: SandboxReport) -> SandboxReport {
        var report = report
        report[.resourceLimits] = ResourceLimits.set(limits)
        if report[.threadLimit] == .on { report[.threadLimit] = ResourceLimits.setThreadLimit() }
        // The filter comes last, because it forbids the calls above.
        do throws(SystemError) {
            guard cprocess_report_forbidden_calls() == 0 else { throw SystemError("sigaction") }
            try SystemCallFilter.make().load()
            report[.systemCallFilter] = .on
        } catch {
            report[.systemCallFilter] = .unavailable(error.description)
        }
        return report
    }

    /// Makes the kernel kill this process when its zygote ends. Exits at once if `zygote` has already ended.
    static func dieWith(_ zygote: Int32) -> SandboxReport.State {
        guard clinux_process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else {
            return .unavailable(SystemError("prctl").description)
        }
        // The zygote may have died before the call.
        if getppid() != zygote { _exit(1) }
        return .on
    }
}
