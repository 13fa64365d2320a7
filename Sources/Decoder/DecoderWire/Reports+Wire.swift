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
        put(report.inline != nil)
        guard let inline = report.inline else { return }
        put(case: inline.format)
        put(inline.thumbHash)
        put(inline.pictures.count)
        for picture in inline.pictures { put(picture) }
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
            inline: try flag() ? inlinePicture() : nil,
        )
    }

    private mutating func inlinePicture() throws(WireError) -> InlinePicture {
        let format = try `case`(of: OutputFormat.self)
        let hash = try data()
        let count = try count()
        guard count <= InlinePicture.pictureLimit else { throw .invalidValue }
        var pictures: [[UInt8]] = []
        for _ in 0..<count { pictures.append(try data()) }
        return InlinePicture(thumbHash: hash, format: format, pictures: pictures)
    }
}
