import Base
import DecoderWire
import Media

/// Sample messages of every kind.
enum Samples {
    static let workerMessages: [WorkerMessage] =
        requests.map { .transform($0, source: progress, outputs: 4, outputCapacity: 500_000) } + [
            .transform(
                requests[0],
                source: SourceProgress(present: ByteRanges(), size: 99, isEnded: true, isCut: true),
                outputs: 0,
                outputCapacity: 0,
            ),
            .have(0..<0, size: nil), .have(5..<Int.max, size: Int.max), .endsHere(progress), .endsHere(most),
            .timeWillExpire, .proceed,
        ]

    private static let progress = SourceProgress(present: ByteRanges([0..<12]))
    /// A progress message with the largest number of ranges.
    private static let most = SourceProgress(
        present: ByteRanges((0..<Wire.rangeLimit).map { $0 * 1000..<$0 * 1000 + 9 }),
        size: 1 << 50,
        isEnded: true,
    )

    static let decoderMessages: [DecoderMessage] =
        [
            .ready(SandboxReport()), .ready(mixedReport), .need(0..<65536, ahead: 0), .need(7..<8, ahead: 1 << 40),
            .need(4711..<Int.max, ahead: 0),
            .source(SourceReport()), .thumbnail(byteCount: 4711, output: 3),
            .source(
                SourceReport(width: 3, height: 1 << 40, frames: 7, durationMilliseconds: 900),
                memoryBytes: 1 << 30,
            ),
            .done, .began, .triedForbiddenCall(41),
        ]
        + AttachmentFailure.Reason.allCases.map { .failed($0) }
        + FailureCause.allCases.map { .failed(.unsupportedFormat, $0) }
        + Rung.allCases.map { .rung(RungReport(rung: $0, format: .png, byteCount: 1), output: 3) }
        + OutputFormat.allCases.map {
            let report = RungReport(
                rung: .fast,
                format: $0,
                byteCount: 9,
                width: 8,
                height: 7,
                frames: 6,
                durationMilliseconds: 5,
                focus: FocalPoint(x: 0.25, y: 1),
                inline: InlinePicture(
                    thumbHash: Array(0..<24),
                    format: $0,
                    pictures: [1500, 600].map { [UInt8](repeating: 200, count: $0) },
                ),
                account: ClipAccount(
                    video: ClipAccount.Stream(packets: 4, packetMilliseconds: 3, stepMilliseconds: 2),
                    sound: ClipAccount.Stream(packets: 1),
                    declaredMilliseconds: 1 << 30,
                    endsEarly: true,
                ),
            )
            return .rung(report, output: 0)
        }

    static let zygoteCommands: [ZygoteCommand] = [
        .spawn(child: 5, limits: ProcessLimits(memoryBytes: 1, processorSeconds: 2, outputBytes: 3))
    ]

    static let zygoteReports: [ZygoteReport] = [
        .ready, .spawned(child: 5, pid: 4711), .couldNotSpawn(child: 5, code: 11),
        .exited(child: 5, ending: .exited(status: 1), usage: usage),
        .exited(child: 5, ending: .killed(signal: 31), usage: usage),
    ]

    private static let usage = ProcessUsage(processorMicroseconds: 499_999, peakMemoryBytes: 1 << 31)

    static var longestReport: SandboxReport {
        var report = SandboxReport()
        for layer in SandboxLayer.allCases { report[layer] = .unavailable(String(repeating: "x", count: 500)) }
        return report
    }

    private static var mixedReport: SandboxReport {
        var report = SandboxReport()
        report[.systemCallFilter] = .on
        report[.landlock] = .unavailable("landlock: Function not implemented")
        return report
    }

    private static let requests = [
        ConversionRequest(
            format: .heic,
            image: ImageRules(
                longEdge: 1038,
                aspectRatio: AspectRatio(width: 2, height: 1),
                byteBudget: 500_000,
                byteLimit: 10_000_000,
                keepsTransparency: false,
                formats: [.webp, .jpeg],
                inline: .auto,
            ),
            animation: AnimationRules(longEdge: 3, byteBudget: 4, byteLimit: 5),
            clippingRectangle: ClippingRectangle(x: 0.1, y: 0, width: 0.9, height: 1.0 / 3),
            focus: FocalPoint(x: 0.25, y: 1),
            video: VideoRules(
                duration: .milliseconds(12),
                shortest: .seconds(3),
                longEdge: 13,
                byteBudget: 14,
                byteLimit: 15
            ),
            audio: AudioRules(duration: .milliseconds(16), byteBudget: 17, byteLimit: 18),
            clip: ClipSelection(start: .milliseconds(19), duration: .seconds(20), thumbnailTime: .seconds(21)),
            limits: MediaLimits(
                sourceBytes: 6,
                framePixels: 7,
                reducedPixels: 12,
                totalPixels: 8,
                side: 9,
                frames: 10,
                memoryBytes: 11
            ),
            rungs: [.embeddedThumbnail, .downscaled],
            disabled: DisabledFormats(formats: [.jpeg, .ogg, .threeGPP], codecs: [.h264, .pcm]),
        ),
        ConversionRequest(format: .jpeg, image: Profile.fcm.image, animation: nil, rungs: []),
    ]
}
