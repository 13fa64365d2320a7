import Base
import DecoderWire
import Media
import Support
import Testing

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
        func firstFrame() throws {
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

        @Test(
            "an animation over its budget loses colors, size or frames, but not its duration",
            arguments: [120_000, 40_000, 15_000]
        )
        func budget(byteBudget: Int) throws {
            var profile = Profile.apns
            profile.animation?.byteBudget = byteBudget
            var state: UInt32 = 5
            let gif = GIFBuilder.animation(320, 200, frames: 20, delay: 4) { frame, x, y in
                state = state &* 1_664_525 &+ 1_013_904_223
                return (x / 2 + y / 2 + frame * 10 + Int(state >> 28)) % 256
            }
            let (output, _) = try transform(MemorySource(gif), .gif, profile: profile)
            let last = try #require(output.last)
            #expect(output.rungs == [.firstFrame, last.report.frames == 20 ? .animation : .shortened])
            #expect(last.bytes.count <= byteBudget)
            #expect(last.bytes.count > byteBudget / 4)
            #expect((2...20).contains(last.report.frames ?? 0))
            #expect(GIFContainer.stripped(last.bytes) != nil)
        }

        @Test("a file with more frames than the limit is not an animation")
        func frameLimit() throws {
            let gif = GIFBuilder.animation(8, 8, frames: 30, delay: 4) { frame, _, _ in frame * 8 }
            let (output, _) = try transform(MemorySource(gif), .gif, limits: MediaLimits(frames: 20))
            #expect(output.rungs == [.firstFrame])
        }

        @Test("of an animation with more pixels than the limit, frames are left out, but not its end")
        func pixelLimit() throws {
            var profile = Profile.apns
            profile.animation?.longEdge = 20
            let gif = GIFBuilder.animation(40, 40, frames: 10, delay: 4) { frame, _, _ in frame * 20 }
            let limits = MediaLimits(totalPixels: 40 * 40 * 4)
            let (output, _) = try transform(MemorySource(gif), .gif, profile: profile, limits: limits)
            #expect(output.rungs == [.firstFrame, .shortened])
            #expect(output.last?.report.frames == 4)
            #expect(output.last?.report.durationMilliseconds == 400)
            // Every third frame: 0, 3, 6 and 9.
            let pixels = try Pixels(#require(output.last))
            for frame in 0..<4 { #expect(isNear([pixels.at(10, frame * 20 + 10)[0]], [frame * 60])) }
        }

        @Test(
            "a plan drops colors first, then a little of the size, then frames, then more of the size, then more frames"
        )
        func plan() {
            func plan(_ share: Double, meanDelay: Int = 40) -> AnimationPlan {
                AnimationPlan(share: share, frames: 60, longEdge: 480, meanDelay: meanDelay)
            }
            #expect(plan(1) == AnimationPlan(longEdge: 480))
            #expect(plan(0.9).colors == 128 && plan(0.9).longEdge == 480)
            #expect(plan(0.7).colors == 64 && plan(0.7).longEdge == 480 && plan(0.7).step == 1)
            let half = plan(0.5)
            #expect(half.step == 1)
            #expect((360..<480).contains(half.longEdge))
            let third = plan(0.3)
            #expect(third.step == 2)
            #expect((360...480).contains(third.longEdge))
            let tenth = plan(0.1)
            #expect(tenth.step == 3)
            #expect((160..<480).contains(tenth.longEdge))
            let least = plan(0.001)
            #expect(least.longEdge == 160)
            #expect(least.step == 30)
            #expect(plan(0.2, meanDelay: 500).step == 1)
            #expect(plan(0.01, meanDelay: 500).step > 1)
        }

        /// Returns the delays in a GIF, in hundredths of a second.
        private func times(of gif: [UInt8]) -> [Int] {
            var (times, index) = ([Int](), 0)
            while let control = gif[index...].firstRange(of: [0x21, 0xF9, 4] as [UInt8]) {
                index = control.upperBound
                times.append(Int(gif[index + 1]) | Int(gif[index + 2]) << 8)
            }
            return times
        }

        @Test(
            "an animation that is encoded again is shown as long as its source: of a hundredth or less, readers make ten",
            arguments: [
                [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [2, 3, 2, 3], [1, 5, 0, 12, 1, 30], [10, 10], [400, 1],
            ]
        )
        func shownTime(delays: [Int]) throws {
            for byteBudget in [2_000_000, 6_000] {
                var profile = Profile.apns
                profile.animation?.longEdge = 60
                profile.animation?.byteBudget = byteBudget
                var gif = GIFBuilder.animation(120, 90, frames: delays.count, delay: 0) { frame, x, y in
                    (frame * 40 + x * y) % 256
                }
                var index = 0
                for delay in delays {
                    index = try #require(gif[index...].firstRange(of: [0x21, 0xF9, 4] as [UInt8])).upperBound
                    (gif[index + 1], gif[index + 2]) = (UInt8(delay & 0xFF), UInt8(delay >> 8))
                }
                let shown = delays.map { $0 > 1 ? $0 : 10 }.reduce(0, +)
                let (output, _) = try transform(MemorySource(gif), .gif, profile: profile)
                let last = try #require(output.last)
                #expect(last.report.rung != .firstFrame)
                #expect(output.source?.durationMilliseconds == shown * 10)
                #expect(last.report.durationMilliseconds == shown * 10)
                #expect(times(of: last.bytes).reduce(0, +) == shown && times(of: last.bytes).allSatisfy { $0 >= 2 })
            }
        }

        @Test("times are rounded without a drift, and no frame is shown for less than two hundredths")
        func frameTimes() {
            #expect(FrameTimes(of: [Int](repeating: 13, count: 24)).times.reduce(0, +) == 31)
            #expect(FrameTimes(of: [Int](repeating: 11, count: 100)).times.allSatisfy { $0 >= 2 })
            #expect(FrameTimes(of: [40, 40, 40]).kept.map(\.frame) == [0, 1, 2])
            #expect(FrameTimes(of: [40, 40, 40, 40, 40], every: 2).times == [8, 8, 4])
            let short = FrameTimes(of: [15, 15, 15, 15])
            #expect(short.times == [2, 4] && short.kept.map(\.frame) == [0, 3])
            #expect(FrameTimes(of: [11]).times == [2])
            #expect(FrameTimes(of: []).times == [])
        }

        @Test("a moving photo keeps all its frames within the budget", .needsSharedMedia)
        func movingPhoto() throws {
            let photo = try Pixels(SharedMedia.bytes("images/skimage__astronaut.png"), .png)
            let gif = GIFBuilder.animation(300, 300, frames: 20, delay: 4) { frame, x, y in
                photo.at(x + frame * 3, y + frame * 2)[1]
            }
            var profile = Profile.apns
            profile.animation?.byteBudget = 500_000
            let (output, _) = try transform(MemorySource(gif), .gif, profile: profile)
            #expect(output.rungs == [.firstFrame, .animation])
            let last = try #require(output.last)
            #expect(last.report.frames == 20)
            #expect(last.report.durationMilliseconds == 800)
            #expect((last.report.width ?? 0) >= 225)
        }

        @Test("a picture that moves before a transparent background leaves no trace")
        func transparent() throws {
            // A square that moves to the right, in a GIF whose other pixels are transparent.
            var gif = GIFBuilder.animation(96, 64, frames: 4, delay: 10) { frame, x, y in
                (frame * 20..<frame * 20 + 16).contains(x) && (20..<36).contains(y) ? 200 : 0
            }
            // The first color is transparent, and each frame is cleared.
            var index = 0
            while let control = gif[index...].firstRange(of: [0x21, 0xF9, 4] as [UInt8]) {
                gif[control.upperBound] = 2 << 2 | 1
                index = control.upperBound
            }
            var profile = Profile.apns
            profile.animation?.longEdge = 48
            let last = try #require(try transform(MemorySource(gif), .gif, profile: profile).output.last)
            #expect(last.report.rung == .animation)
            let pixels = try Pixels(last)
            #expect(pixels.bands == 4)
            for frame in 0..<4 {
                for square in 0..<4 {
                    let pixel = pixels.at(square * 10 + 4, frame * 32 + 14)
                    #expect(pixel[3] == (square == frame ? 255 : 0), "\(square) in \(frame)")
                    if square == frame { #expect(isNear(Array(pixel.prefix(3)), [200, 200, 200])) }
                }
            }
        }

        @Test("what doesn't change from frame to frame is not repeated")
        func still() throws {
            func byteCount(frames: Int) throws -> Int {
                var profile = Profile.apns
                profile.animation?.longEdge = 100
                let gif = GIFBuilder.animation(200, 160, frames: frames, delay: 10) { frame, x, y in
                    x < 8 ? frame * 10 : (x * y) % 256
                }
                return try #require(try transform(MemorySource(gif), .gif, profile: profile).output.last).bytes.count
            }
            let (two, twelve) = (try byteCount(frames: 2), try byteCount(frames: 12))
            #expect(twelve < two * 2)
        }
    }
}
