package import Foundation
import Media

/// The samples of all formats as files, for tests on machines without other media.
package enum SampleMedia {
    /// Writes the samples to `folder`, and returns their names.
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
