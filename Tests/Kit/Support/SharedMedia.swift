package import Foundation
package import Testing

/// The real and hostile media files beside a checkout, in `../shared/media`.
package enum SharedMedia {
    package static let packageRoot = URL(filePath: #filePath)
        .appending(path: "../../../..").standardized
    package static let root = packageRoot.deletingLastPathComponent().appending(path: "shared/media")

    package static var isThere: Bool { FileManager.default.fileExists(atPath: root.path) }

    /// Returns the file at `path`, such as `images/sharp__4.webp`.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    package static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(path))) }

    /// Returns the paths of all files in `folder`, sorted, or nothing without the media.
    package static func paths(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url(folder).path)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }
}

/// The samples of this repository.
package enum SampleMedia {
    package static let photoURL = SharedMedia.packageRoot.appending(path: "Samples/media/photo.jpg")

    /// The bytes of a photo of ten megapixels. They are missing only if the file is, which no test with a photo survives.
    package static let photo = [UInt8]((try? Data(contentsOf: photoURL)) ?? Data())
}

extension Trait where Self == ConditionTrait {
    /// A trait that runs a test only where the shared media exists.
    package static var needsSharedMedia: Self {
        .enabled(if: SharedMedia.isThere, "the shared media is not beside this checkout")
    }
}
