import Base
import Media
import Payloads
import Testing

@testable import Preview

@Suite("Odd numbers in the preview")
struct OddNumbersTests {
    @Test("a thumbnail's time of any size is shown", arguments: [1e300, -1e300, .infinity, .nan, 0, 2.5])
    func thumbnail(time: Double) {
        var options = AttachmentOptions()
        options.thumbnailTime = time
        let view = ThumbnailView(options, isSound: false, isAnimation: true, isClipped: false)
        #expect(view.notes.count == 1)
    }

    @Test(
        "numbers of any size are shown",
        arguments: [
            (Int.max, "9,223,372,036,854,775,807", "9223372036854775.8 s"),
            (.min, "-9,223,372,036,854,775,808", "-9223372036854775808 ms"), (999, "999", "999 ms"),
            (1049, "1,049", "1 s"), (1950, "1,950", "2 s"), (24_650, "24,650", "24.7 s"),
        ],
    )
    func shown(number: Int, grouped: String, duration: String) {
        #expect(ShownNumber.grouped(number) == grouped)
        #expect(ShownNumber.duration(number) == duration)
    }
}
