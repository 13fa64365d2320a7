import Foundation

/// The path of a file to write: checked before the work, so that its result is not lost for a misspelt name.
enum OutputPath {
    static func check(_ paths: String?...) throws {
        for case let path? in paths {
            let folder = URL(filePath: path).deletingLastPathComponent().path
            guard !isFolder(path) else { throw CommandError(.cannotWrite, "\(path) is a folder. Name a file in it.") }
            guard isFolder(folder) else {
                throw CommandError(.cannotWrite, "\(path) cannot be written: there is no folder \(folder).")
            }
            guard FileManager.default.isWritableFile(atPath: folder) else {
                throw CommandError(.cannotWrite, "\(path) cannot be written: \(folder) does not allow new files.")
            }
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
