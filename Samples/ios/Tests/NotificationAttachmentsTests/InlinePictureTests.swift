import Foundation
import Testing

@testable import NotificationAttachments

@Suite("A picture inside the payload")
struct InlinePictureTests {
    private static let hash = "EOcFFYItd2ZwiZd1h4iIdnZwbgbn"

    @Test("is the JPEG or PNG if there is one", arguments: [("image/jpeg", "jpg"), ("image/png", "png")])
    func data(type: String, fileExtension: String) {
        let picture = InlinePicture(["thumbhash": Self.hash, "type": type, "data": "/9j/4A=="])
        #expect(picture?.type.fileExtension == fileExtension)
        #expect(picture?.data == Data([0xFF, 0xD8, 0xFF, 0xE0]))
    }

    @Test(
        "is the ThumbHash as a PNG otherwise",
        arguments: [
            [:], ["type": "image/webp", "data": "UklGRg=="], ["type": "image/jpeg", "data": "!"], ["data": "/9j/4A=="],
            ["type": "audio/mp4", "data": "/9j/4A=="], ["type": "image/jpeg", "data": ""],
        ]
    )
    func hash(others: [String: String]) {
        let picture = InlinePicture(others.merging(["thumbhash": Self.hash]) { $1 })
        #expect(picture?.type.identifier == "public.png")
        #expect(picture?.data.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
    }

    @Test("may come without the padding of Base64")
    func padding() {
        let padded = InlinePicture(["thumbhash": "EucFFAJUCJlIh4lXl2iokH8a+Q=="])
        #expect(padded != nil && InlinePicture(["thumbhash": "EucFFAJUCJlIh4lXl2iokH8a+Q"]) == padded)
    }

    @Test(
        "is missing if it is damaged",
        arguments: [[:], ["thumbhash": ""], ["thumbhash": "EOcF"], ["thumbhash": "ä"]]
    )
    func damaged(value: [String: String]) {
        #expect(InlinePicture(value) == nil)
    }
}
