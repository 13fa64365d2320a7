import DecoderWire
import Media
import Support
import Testing
import Timing

@testable import Images

extension ImagesTests {
    @Suite("Animations")
    struct AnimationTests {
        @Test("an animated WebP becomes a GIF with the same number of frames, after its first frame", .needsSharedMedia)
        func webp() throws {
            let source = try SharedMedia.bytes("images/sharp__rotating-squares.webp")
            let (output, failure) = try transform(MemorySource(source), .webp)
            #expect(failure == nil)
            #expect(output.rungs == [.firstFrame, .animation])
            let last = try #require(output.last)
            #expect(last.report.format == .gif)
            #expect(last.report.frames == 9)
            #expect(last.report.durationMilliseconds == output.source?.durationMilliseconds)
            #expect(try Pixels(last).height == 9 * 80)
        }

        @Test("a profile without animations gets the first frame as its last rung")
        func still() throws {
            let gif = GIFBuilder.animation(64, 48, frames: 4, delay: 10) { frame, _, _ in frame * 60 }
            let (output, _) = try transform(MemorySource(gif), .gif, profile: .fcm)
            #expect(output.rungs == [.downscaled])
            #expect(isNear(Array(try Pixels(#require(output.last)).at(30, 20).prefix(1)), [0]))
        }

        @Test("an animation that is too large is scaled down, and keeps its frames and times")
        func scaled() throws {
            var profile = Profile.apns
            profile.animation?.longEdge = 100
            let gif = GIFBuilder.animation(200, 150, frames: 5, delay: 8) { frame, x, _ in frame * 40 + x / 4 }
            let (output, _) = try transform(MemorySource(gif), .gif, profile: profile)
            #expect(output.rungs == [.firstFrame, .animation])
            let last = try #require(output.last)
            #expect(last.report.width == 100)
            #expect(last.report.height == 75)
            #expect(last.report.frames == 5)
            #expect(last.report.durationMilliseconds == 400)
            let pixels = try Pixels(last)
            for frame in 0..<5 { #expect(isNear([pixels.at(50, frame * 75 + 30)[0]], [frame * 40 + 25])) }
        }

        @Test("an animation over its budget loses frames or size, but not its duration", arguments: [120_000, 40_000])
        func budget(byteBudget: Int) throws {
            var profile = Profile.apns
            profile.animation?.byteBudget = byteBudget
            var state: UInt32 = 5
            let gif = GIFBuilder.animation(320, 200, frames: 20, delay: 4) { frame, x, y in
                state = state &* 1_664_525 &+ 1_013_904_223
                return (x / 2 + y / 2 + frame * 10 + Int(state >> 28)) % 256
            }
            let (output, _) = try transform(MemorySource(gif), .gif, profile: profile)
            #expect(output.rungs == [.firstFrame, .shortened])
            let last = try #require(output.last)
            #expect(last.bytes.count <= byteBudget)
            #expect(last.bytes.count > byteBudget / 4)
            #expect((2..<20).contains(last.report.frames ?? 0))
        }

        @Test("a file with more frames than the limit is not an animation")
        func frameLimit() throws {
            let gif = GIFBuilder.animation(8, 8, frames: 30, delay: 4) { frame, _, _ in frame * 8 }
            let (output, _) = try transform(MemorySource(gif), .gif, limits: MediaLimits(frames: 20))
            #expect(output.rungs == [.firstFrame])
        }

        @Test("more pixels than the limit end the animation early")
        func pixelLimit() throws {
            var profile = Profile.apns
            profile.animation?.longEdge = 20
            let gif = GIFBuilder.animation(40, 40, frames: 10, delay: 4) { frame, _, _ in frame * 20 }
            let limits = MediaLimits(totalPixels: 40 * 40 * 4)
            let (output, _) = try transform(MemorySource(gif), .gif, profile: profile, limits: limits)
            #expect(output.rungs == [.firstFrame, .shortened])
            #expect(output.last?.report.frames == 4)
        }

        @Test("a plan drops frames first, then size, then the end")
        func plan() {
            let whole = AnimationPlan(share: 1, frames: 60, longEdge: 480, meanDelay: 40)
            #expect(whole == AnimationPlan(frames: 60, longEdge: 480))
            let half = AnimationPlan(share: 0.6, frames: 60, longEdge: 480, meanDelay: 40)
            #expect(half.step == 2)
            #expect(half.longEdge == 480)
            let tenth = AnimationPlan(share: 0.1, frames: 60, longEdge: 480, meanDelay: 40)
            #expect(tenth.step == 3)
            #expect((160..<480).contains(tenth.longEdge))
            #expect(tenth.frames == 60)
            let least = AnimationPlan(share: 0.001, frames: 60, longEdge: 480, meanDelay: 40)
            #expect(least.longEdge == 160)
            #expect(least.frames < 60)
            let slow = AnimationPlan(share: 0.5, frames: 60, longEdge: 480, meanDelay: 500)
            #expect(slow.step == 1)
        }
    }
}
