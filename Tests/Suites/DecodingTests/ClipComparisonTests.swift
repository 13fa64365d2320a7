import Media
import Support
import Testing

@testable import Decoding

@Suite("The comparison of a clip with its source", .timeLimit(.minutes(10)))
struct ClipComparisonTests {
    private typealias Stream = ClipAccount.Stream

    private func reason(
        _ account: ClipAccount,
        video: (samples: Int, milliseconds: Int)? = nil,
        sound: Int? = nil,
        from start: Duration = .zero,
    ) -> AttachmentFailure.Reason? {
        var tracks: [OutputHeader.Track] = []
        if let video {
            tracks.append(OutputHeader.Track(isVideo: true, samples: video.samples, milliseconds: video.milliseconds))
        }
        if let sound { tracks.append(OutputHeader.Track(isVideo: false, samples: sound / 21, milliseconds: sound)) }
        let clip = ClipSelection(start: start)
        return ClipComparison(account, tracks, of: clip, longest: .seconds(10)).shortfall?.reason
    }

    private let six = Stream(packets: 150, packetMilliseconds: 6000, stepMilliseconds: 5960)

    @Test("finds nothing missing in a clip as long as its source, or as the profile allows")
    func whole() {
        #expect(reason(ClipAccount(video: six, sound: six), video: (150, 6000), sound: 5980) == nil)
        let long = Stream(packets: 800, packetMilliseconds: 32_000, stepMilliseconds: 32_000)
        let account = ClipAccount(video: long, sound: long, declaredMilliseconds: 32_000)
        #expect(reason(account, video: (250, 10_000), sound: 10_000) == nil)
    }

    @Test("finds nothing missing within 100 ms, 2 %, or a picture")
    func tolerances() {
        #expect(reason(ClipAccount(video: six), video: (148, 5885)) == nil)
        let ten = Stream(packets: 300, packetMilliseconds: 10_000, stepMilliseconds: 10_000)
        #expect(reason(ClipAccount(video: ten), video: (295, 9810)) == nil)
        #expect(reason(ClipAccount(video: ten), video: (295, 9790)) == .durationMissing)
        let slow = Stream(packets: 3, packetMilliseconds: 6000, stepMilliseconds: 4000)
        #expect(reason(ClipAccount(video: slow), video: (3, 4001)) == nil)
        #expect(reason(ClipAccount(video: slow), video: (3, 3900)) == .durationMissing)
    }

    @Test("believes the longer one of two measures")
    func measures() {
        let unsteady = Stream(packets: 2, packetMilliseconds: 80, stepMilliseconds: 10_000)
        #expect(reason(ClipAccount(video: unsteady), video: (1, 40)) == .durationMissing)
        let wrapped = Stream(packets: 150, packetMilliseconds: 6000, stepMilliseconds: 40)
        #expect(reason(ClipAccount(video: wrapped), video: (1, 34)) == .durationMissing)
    }

    @Test("finds sound that is missing, or ends before its source's")
    func sound() {
        #expect(reason(ClipAccount(video: six, sound: Stream(packets: 200)), video: (150, 6000)) == .soundMissing)
        #expect(reason(ClipAccount(video: six, sound: six), video: (150, 6000), sound: 0) == .soundMissing)
        #expect(reason(ClipAccount(video: six, sound: six), video: (150, 6000), sound: 3000) == .durationMissing)
        #expect(reason(ClipAccount(video: six, sound: Stream(packets: 0)), video: (150, 6000)) == nil)
    }

    @Test("finds a picture that stands still where the source moves")
    func frozen() {
        #expect(reason(ClipAccount(video: six), video: (1, 6000)) == .durationMissing)
    }

    @Test("finds a source that ends before its index does, or declares more than twice as much")
    func declared() {
        #expect(reason(ClipAccount(video: six, endsEarly: true), video: (150, 6000)) == .durationMissing)
        #expect(reason(ClipAccount(video: six, declaredMilliseconds: 13_000), video: (150, 6000)) == nil)
        let three = Stream(packets: 75, packetMilliseconds: 3000, stepMilliseconds: 2960)
        let account = ClipAccount(video: three, declaredMilliseconds: 60_000)
        #expect(reason(account, video: (75, 3000)) == .durationMissing)
        #expect(reason(account, video: (75, 3000), from: .seconds(57)) == nil)
    }
}
