import Base
import Media

/// The comparison of a finished clip with the requested part of the source.
///
/// The decoder measures the source in several independent ways, and the worker measures the clip. Without the comparison,
/// nobody would notice a clip that ends too early, because it plays.
struct ClipComparison {
    /// The least tolerance, in milliseconds.
    private static let least = 100
    /// The longest priming of a sound coder, in milliseconds: two frames of AAC at 8,000 samples a second.
    private static let longestPriming = 300

    private let account: ClipAccount
    private let tracks: [OutputHeader.Track]
    /// The duration of the wanted part, in milliseconds.
    private let wanted: Int
    /// The start of the wanted part in the source, in milliseconds.
    private let start: Int

    init(_ account: ClipAccount, _ tracks: [OutputHeader.Track], of clip: ClipSelection, longest: Duration) {
        self.account = account
        self.tracks = tracks
        wanted = min(clip.duration ?? longest, longest).milliseconds
        start = clip.start.milliseconds
    }

    /// The part that the clip lacks, as a failure; `nil` if the clip is complete.
    var shortfall: AttachmentFailure? {
        let (video, sound) = (tracks.first(where: \.isVideo), tracks.first { !$0.isVideo })
        if let stream = account.sound, stream.packets > 0, sound?.milliseconds ?? 0 == 0 { return Self.withoutSound }
        if let stream = account.video, let video, isShort(video, of: stream) { return Self.tooShort }
        if let stream = account.sound, let sound, isShort(sound, of: stream) { return Self.tooShort }
        let found = tracks.map(\.milliseconds).max() ?? 0
        if let declared = account.declaredMilliseconds, declared > start {
            let expected = min(declared - start, wanted)
            if expected > 2 * found, expected - found > Self.least { return Self.tooShort }
        }
        return account.endsEarly && found < wanted - Self.least ? Self.tooShort : nil
    }

    /// Returns whether the track lasts less than the source's stream does by either measure, or stands still where the source
    /// moves.
    private func isShort(_ track: OutputHeader.Track, of stream: ClipAccount.Stream) -> Bool {
        let expected = min(wanted, max(stream.packetMilliseconds, stream.stepMilliseconds))
        let packet = expected / max(1, stream.packets)
        // A coder of sound begins with up to two frames that are not heard, and fills up the last two.
        let unit = track.isVideo ? packet : min(4 * packet + 2, Self.longestPriming)
        let tolerance = max(Self.least, expected / 50, unit)
        if track.milliseconds < expected - tolerance { return true }
        return track.isVideo && track.samples == 1 && stream.packets > 2 && expected > 2 * tolerance
    }

    private static let withoutSound = AttachmentFailure(
        .decode,
        .soundMissing,
        "The source has sound in a codec that is not decoded, so the clip is silent. Send AAC, MP3 or Opus.",
    )
    private static let tooShort = AttachmentFailure(
        .decode,
        .durationMissing,
        "The clip is shorter than the part of the source that was wanted. The source may be cut or damaged.",
    )
}
