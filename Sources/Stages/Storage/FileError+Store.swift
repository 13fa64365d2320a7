import Files
import Glibc
import Media

extension FileError {
    static func quotaReached(_ quota: Int, path: String) -> FileError {
        let remedy = "Its \(quota / 1_000_000) MB are taken by files that are new or being read. Raise --quota."
        return FileError("add a file to", path, EDQUOT, remedy: remedy)
    }

    static func diskNearlyFull(floor: Int, path: String) -> FileError {
        let remedy =
            "\(floor / 1_000_000) MB of its disk must stay free. Free some disk space, or choose another --store."
        return FileError("add a file to", path, ENOSPC, remedy: remedy)
    }

    static func forgotten(path: String) -> FileError {
        let remedy = "It was taken back (attachd forget) and is not stored again before its links have expired."
        return FileError("store", path, ECANCELED, remedy: remedy)
    }

    var attachmentFailure: AttachmentFailure {
        guard code != ECANCELED else { return AttachmentFailure(.store, .forgotten, "The attachment was taken back.") }
        guard isFull else {
            let message = "The attachment could not be stored (\(operation): \(reason))."
            return AttachmentFailure(.store, .storeFailed, message)
        }
        let advice = remedy ?? Self.remedy(for: code, option: AttachmentStore.option)
        return AttachmentFailure(.store, .storeFull, "The store is full. \(advice)")
    }
}
