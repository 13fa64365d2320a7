import Foundation
import Support
import Testing

/// A machine without layers of the sandbox: the user may not make namespaces.
private enum PoorMachine {
    /// A Boolean value that indicates whether the tools that drop the right exist and may do so.
    static var isThere: Bool {
        ["/usr/bin/unshare", "/usr/bin/setpriv"].allSatisfy(FileManager.default.isExecutableFile)
            && run("true").status == 0
    }

    static func run(_ command: String) -> (status: Int32, output: String) {
        let script = "echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-sys_admin \(command)"
        let process = Process("/usr/bin/unshare", ["-Ur", "sh", "-c", script])
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        guard (try? process.run()) != nil else { return (-1, "") }
        let text = (try? output.fileHandleForReading.readToEnd()) ?? nil
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text ?? Data(), as: UTF8.self))
    }
}

@Suite("Missing layers of the sandbox", .timeLimit(.minutes(10)))
struct SandboxTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test(
        "the doctor names them, and finds the installation healthy unless all are required",
        .enabled(if: PoorMachine.isThere, "no user namespace without rights can be made here"),
    )
    func doctor() {
        let command = "\(AttachdProgram.path) doctor --store \(attachd.store)"
        let found = PoorMachine.run(command)
        #expect(found.status == 0)
        #expect(found.output.contains(#/empty-network +unavailable: /#))
        #expect(found.output.contains(#/system-call-filter +on/#))
        #expect(PoorMachine.run("\(command) --require-sandbox").status == 1)
    }

    @Test(
        "with --require-sandbox nothing is served, and the message names the missing layers",
        .enabled(if: PoorMachine.isThere, "no user namespace without rights can be made here"),
    )
    func serve() {
        let run = PoorMachine.run(
            "\(AttachdProgram.path) serve --listen 127.0.0.1:0 --store \(attachd.store) --require-sandbox"
        )
        #expect(run.status == 1)
        #expect(run.output.contains("The sandbox lacks: empty-network, empty-root."))
    }
}
