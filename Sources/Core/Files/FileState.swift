package import Glibc

/// The identity of a file or folder, independent of its names.
package struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let number: ino_t

    package init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
}

/// The state of a file that changes with every write, and when another file takes its name.
package struct FileVersion: Sendable, Equatable {
    private let identity: FileIdentity
    private let size: Int
    private let times: [Int]

    package init(_ status: stat) {
        identity = FileIdentity(status)
        size = Int(status.st_size)
        times = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}
