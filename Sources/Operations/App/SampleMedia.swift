package import Foundation
import Media

/// The tiny samples of every format, as files: media for tests where there is no other.
package enum SampleMedia {
    /// Writes them into `folder`, and gives their names.
    package static func write(to folder: URL) throws -> [String] {
        let pictures = SampleImages.all.map { ("picture", $0.format, $0.bytes) }
        let clips = SampleClips.all.map { ("clip-\($0.codec.lowercased().filter(\.isLetter))", $0.format, $0.bytes) }
        return try (pictures + clips).map { name, format, bytes in
            let file = "\(name).\(format.filenameExtension)"
            try Data(bytes).write(to: folder.appending(path: file))
            return file
        }
    }
}
