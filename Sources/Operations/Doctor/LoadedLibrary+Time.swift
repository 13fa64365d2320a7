import Foundation
import Machine

extension LoadedLibrary {
    /// The version and the file with its date, for a person.
    var detail: String {
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        let date = attributes?[.modificationDate] as? Date
        let time = date.map { $0.formatted(.iso8601.year().month().day()) } ?? "an unknown date"
        return "\(version ?? "tells no version"), \(file) of \(time)"
    }
}
