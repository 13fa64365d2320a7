import Files

extension Directory {
    /// Opens the folder at `path` below this one. If `creating`, creates it and its parents.
    func subdirectory(at path: RelativePath, creating: Bool = false) throws(FileError) -> Directory {
        var folder = self
        for name in path.components { folder = try folder.subdirectory(name, creating: creating) }
        return folder
    }

    /// Creates an empty file for writing, in place of a file left by a crash. The caller closes it.
    func replaceFile(_ name: String) throws(FileError) -> Int32 {
        try? remove(name.utf8)
        return try createFile(name.utf8)
    }
}
