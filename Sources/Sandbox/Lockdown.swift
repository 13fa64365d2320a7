import CLinux
package import DecoderWire
import Glibc

/// What a decoder process gives up once it is warm, before its first hostile byte.
package enum Lockdown {
    /// Returns when every layer that the host has is on. The process ends if `zygote` is gone already.
    package static func enter(_ limits: ProcessLimits, of zygote: Int32, in enclosure: SandboxReport) -> SandboxReport {
        var report = enclosure
        report[.parentDeathSignal] = dieWith(zygote)
        report[.resourceLimits] = ResourceLimits.set(limits)
        // Last: it forbids the calls above.
        do throws(SystemError) {
            try SystemCallFilter.make().load()
            report[.systemCallFilter] = .on
        } catch {
            report[.systemCallFilter] = .unavailable(error.description)
        }
        return report
    }

    private static func dieWith(_ zygote: Int32) -> SandboxReport.State {
        guard clinux_process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else {
            return .unavailable(SystemError("prctl").description)
        }
        // It may have died before we asked.
        if getppid() != zygote { _exit(1) }
        return .on
    }
}
