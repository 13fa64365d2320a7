import Media

extension WireWriter {
    mutating func put(_ report: SourceReport) {
        put(report.width)
        put(report.height)
        put(report.frames)
        put(report.durationMilliseconds)
    }

    mutating func put(_ report: RungReport) {
        put(case: report.rung)
        put(case: report.format)
        put(report.byteCount)
        put(report.width)
        put(report.height)
        put(report.frames)
        put(report.durationMilliseconds)
        put(report.focus)
    }
}

extension WireReader {
    mutating func sourceReport() throws(WireError) -> SourceReport {
        SourceReport(
            width: try optionalCount(),
            height: try optionalCount(),
            frames: try optionalCount(),
            durationMilliseconds: try optionalCount(),
        )
    }

    mutating func rungReport() throws(WireError) -> RungReport {
        RungReport(
            rung: try `case`(of: Rung.self),
            format: try `case`(of: OutputFormat.self),
            byteCount: try count(),
            width: try optionalCount(),
            height: try optionalCount(),
            frames: try optionalCount(),
            durationMilliseconds: try optionalCount(),
            focus: try optionalFocalPoint(),
        )
    }
}
