import Glibc

/// An open regular file. Its descriptor closes with the last reader.
package final class OpenedFile: Sendable {
    package let descriptor: Int32
    package let size: Int

    package init?(_ path: String) {
        // Opens without blocking, so that a named pipe cannot stop the process.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        let isFile = unsafe descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        // The object is complete, so `deinit` closes the descriptor.
        if !isFile { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
