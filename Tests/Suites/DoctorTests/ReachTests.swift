import App
import DecoderWire
import Testing

@Suite("What a decoder could reach that was taken over")
struct ReachTests {
    private func report(without missing: Set<SandboxLayer>) -> SandboxReport {
        var report = SandboxReport()
        for layer in SandboxLayer.allCases { report[layer] = missing.contains(layer) ? .unavailable("no") : .on }
        return report
    }

    @Test(
        "is told for each layer that is missing",
        arguments: [
            ([], "nothing but its source, its outputs, and its own memory and time"),
            ([SandboxLayer.emptyNetwork], "this machine's network, past the system call filter"),
            ([.emptyRoot], "files of attachd's user, past the system call filter and Landlock"),
            ([.emptyRoot, .landlock], "files of attachd's user, past the system call filter"),
            (
                [.emptyRoot, .emptyNetwork, .systemCallFilter, .landlock],
                "every system call that its user may make; this machine's network; files of attachd's user"
            ),
        ] as [(Set<SandboxLayer>, String)]
    )
    func reach(missing: Set<SandboxLayer>, words: String) { #expect(report(without: missing).reach == words) }
}
