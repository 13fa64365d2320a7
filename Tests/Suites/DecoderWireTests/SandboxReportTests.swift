import DecoderWire
import Testing

@Suite struct SandboxReportTests {
    @Test("a layer that is off or unavailable counts as missing", arguments: SandboxLayer.allCases)
    func missing(layer: SandboxLayer) {
        for state in [SandboxReport.State.off, .unavailable("why")] {
            var report = Self.whole
            report[layer] = state
            #expect(report.missing == (Self.spared.contains(layer) ? [] : [layer]))
        }
        #expect(Self.whole.missing.isEmpty)
    }

    /// The layers that `--require-sandbox` does not demand while the others are on.
    private static let spared: [SandboxLayer] = [.landlock, .threadLimit, .controlGroup]

    @Test("Landlock is missing only where the root folder is not empty")
    func landlock() {
        var report = Self.whole
        report[.landlock] = .unavailable("landlock: Function not implemented")
        #expect(report.missing.isEmpty)
        report[.emptyRoot] = .unavailable("unshare: Operation not permitted")
        #expect(report.missing == [.emptyRoot, .landlock])
    }

    private static var whole: SandboxReport {
        var report = SandboxReport()
        for layer in SandboxLayer.allCases { report[layer] = .on }
        return report
    }
}
