import Base
import Media
import Testing

@Suite("Arithmetic on untrusted numbers")
struct SafeSizeTests {
    @Test("a product that overflows Int is nil", arguments: [(Int.max, 2), (1 << 40, 1 << 40), (-1, 5)])
    func product(left: Int, right: Int) {
        #expect(SafeSize.product(left, right) == nil)
        #expect(SafeSize.product(3, 4, 5) == 60)
    }

    @Test("a sum that overflows Int is nil", arguments: [(Int.max, 1), (5, -1)])
    func sum(left: Int, right: Int) {
        #expect(SafeSize.sum(left, right) == nil)
        #expect(SafeSize.sum(1, 2, 3) == 6)
    }

    @Test(
        "a number outside an integer type's range becomes its nearest bound",
        arguments: [
            (1e300, Int.max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0), (2.9, 2), (-2.9, -2),
            (0x1p63, .max), (-0x1p63, .min), (9_007_199_254_740_992, 9_007_199_254_740_992), (0, 0),
        ] as [(Double, Int)],
    )
    func clamped(number: Double, integer: Int) {
        #expect(Int(clamping: number) == integer)
        #expect(UInt8(clamping: number) == UInt8(clamping: integer))
        #expect(
            UInt64(clamping: number)
                == (number >= 0x1p63 ? (number < 0x1p64 ? 1 << 63 : .max) : UInt64(clamping: integer))
        )
    }

    @Test(
        "a duration of any number of seconds is safe in further arithmetic",
        arguments: [1e300, -1e300, .infinity, .nan, 1e18, 0.000_000_001, 1.5, -0.25],
    )
    func durations(seconds: Double) {
        let duration = Duration.seconds(clamping: seconds)
        #expect(duration <= .longest && duration >= .zero - .longest)
        let now = SystemTime().now
        #expect(now + duration + duration >= now - duration - duration || duration < .zero)
        #expect(abs(duration.milliseconds) <= 1_000_000_000_000)
        if seconds.magnitude < 10 { #expect(abs(duration / .seconds(1) - seconds) < 1e-9) }
    }

    @Test("a sum stops at the bounds", arguments: [(Int.max, 1, Int.max), (.min, -1, .min), (2, 3, 5)])
    func addition(left: Int, right: Int, sum: Int) { #expect(left.addingClamped(right) == sum) }

    @Test("the longest duration of the type converts to milliseconds without a trap")
    func milliseconds() {
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
    }
}
