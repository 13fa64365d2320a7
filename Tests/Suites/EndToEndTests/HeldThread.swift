import Foundation
import Support

/// A stopped thread of another process, whose other threads go on. The thread resumes when this value is gone.
///
/// A debugger holds the thread, so that the program needs no code for this.
final class HeldThread {
    private let holder: ChildProgram

    /// Stops the thread that calls itself `name`.
    init(_ name: String, of process: Int, in folder: URL) throws {
        holder = try ChildProgram(["/usr/bin/python3", "-c", Self.program, "\(process)", name], in: folder)
        guard try holder.readLine(beginning: "held") != nil else {
            holder.wait()
            throw CocoaError(.fileReadUnknown)
        }
    }

    deinit { holder.kill() }

    /// PTRACE_SEIZE and PTRACE_INTERRUPT (ptrace(2)) affect one thread, and end with the process that made them.
    private static let program = """
        import ctypes, os, sys

        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        tasks = f"/proc/{sys.argv[1]}/task"
        thread = next(int(t) for t in os.listdir(tasks) if open(f"{tasks}/{t}/comm").read().strip() == sys.argv[2])
        for request in (0x4206, 0x4207):
            if libc.ptrace(request, thread, None, None) != 0:
                sys.exit(os.strerror(ctypes.get_errno()))
        os.waitpid(thread, 0x40000000)
        print("held", flush=True)
        # The process can't end before its debugger has heard that the thread did.
        while not os.WIFSIGNALED(status := os.waitpid(thread, 0x40000000)[1]) and not os.WIFEXITED(status):
            pass
        """
}
