package import Files
package import Media
import Processing
package import Timing

extension LocalFile: AttachmentDownloading {
    package func download(
        _ url: String,
        into file: MediaFile,
        until deadline: MovingDeadline,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async {
        await copy(into: file)
    }
}
