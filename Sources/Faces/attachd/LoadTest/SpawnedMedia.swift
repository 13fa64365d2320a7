import Doctor
import Foundation
import LoadTest
import Media

/// The files that the spawned origin serves: copies of the given files, or samples.
struct SpawnedMedia {
    /// The names of the files in the origin's folder.
    let files: [Weighted<String>]

    init(_ paths: [String], in folder: URL) throws {
        guard !paths.isEmpty else {
            files = try SampleMedia.write(to: folder).map { Weighted($0) }
            return
        }
        var files: [Weighted<String>] = []
        for path in paths.map({ Weighted(text: $0) }) {
            let found = try Self.files(at: path.value)
            for file in found {
                let name = "\(files.count)-\(file.lastPathComponent)"
                try FileManager.default.copyItem(at: file, to: folder.appending(path: name))
                let escaped = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
                files.append(Weighted(escaped, weight: path.weight / Double(found.count)))
            }
        }
        self.files = files
    }

    /// Returns the file itself, or all media files of the folder.
    private static func files(at path: String) throws -> [URL] {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let values = try? url.resourceValues(forKeys: [.isDirectoryKey])
        guard let values else {
            throw CommandError(.inputNotFound, "\(path) cannot be read. Check its name and permissions.")
        }
        guard values.isDirectory == true else { return [url] }
        let options = FileManager.DirectoryEnumerationOptions.skipsHiddenFiles
        let all = try FileManager.default.contentsOfDirectory(
            at: url,
            includingPropertiesForKeys: [.isRegularFileKey],
            options: options,
        )
        let files = all.filter(isMedia)
        guard !files.isEmpty else { throw CommandError(.inputNotFound, "\(path) has no media files.") }
        return files.sorted { $0.path < $1.path }
    }

    private static func isMedia(_ file: URL) -> Bool {
        guard (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true,
            let handle = try? FileHandle(forReadingFrom: file),
            let beginning = try? handle.read(upToCount: MediaSniffer.byteCount)
        else { return false }
        return MediaSniffer.format(of: [UInt8](beginning).span) != nil
    }
}
