import Foundation

/// The path of a file to write: checked before the work, so that its result is not lost for a misspelt name.
enum OutputPath {
    static func check(_ paths: String?...) throws {
        for case let path? in paths {
            var isFolder: ObjCBool = false
            let folder = URL(filePath: path).deletingLastPathComponent().path
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                throw CommandError(.cannotWrite, "\(path) is a folder. Name a file in it.")
            }
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                throw CommandError(.cannotWrite, "\(path) cannot be written: there is no folder \(folder).")
            }
            guard FileManager.default.isWritableFile(atPath: folder) else {
                throw CommandError(.cannotWrite, "\(path) cannot be written: \(folder) does not allow new files.")
            }
        }
    }
}
