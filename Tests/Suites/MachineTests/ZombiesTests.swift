import Base
import Glibc
import Support
import Testing

// In processes of their own: the children of other tests are nothing to these.
@Suite("Children that nobody waited for", .timeLimit(.minutes(10)))
struct ZombiesTests {
    /// Starts a program that ends at once, and waits until it has ended, but leaves it as it is.
    private static func orphan() -> pid_t {
        var process = pid_t()
        var arguments = unsafe [strdup("true"), nil]
        var information = unsafe siginfo_t()
        precondition(unsafe posix_spawn(&process, "/bin/true", nil, nil, &arguments, environ) == 0)
        precondition(unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
        return process
    }

    @Test("are waited for at the second look, so that whoever knows them comes first")
    func reaping() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            let process = Self.orphan()
            var zombies = Zombies()
            precondition(zombies.reap() == 0 && kill(process, 0) == 0)
            precondition(zombies.reap() == 1 && kill(process, 0) != 0)
        }
    }

    @Test("a child that somebody waited for meanwhile is no error")
    func known() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            let process = Self.orphan()
            var zombies = Zombies()
            precondition(zombies.reap() == 0)
            precondition(waitpid(process, nil, 0) == process)
            precondition(zombies.reap() == 0)
        }
    }

    @Test("memory is no longer dumpable after the protection began")
    func secrecy() async {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            precondition(!ProcessSecrecy.isOn)
            ProcessSecrecy.begin()
            precondition(ProcessSecrecy.isOn)
        }
    }
}
