import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The way to an attachment. Tests have one of their own.
protocol Transport: Sendable {
    /// Downloads what is at the URL into the file. Ends early if the task is cancelled.
    func fetch(_ url: URL, into file: IncomingFile) async throws
}

/// Downloads over URLSession that go straight to disk, because an extension has about 24 MB of memory.
struct Network: Transport {
    func fetch(_ url: URL, into file: IncomingFile) async throws {
        try Task.checkCancellation()
        let (results, result) = AsyncStream<Result<Void, any Error>>.makeStream()
        let transfer = Transfer(file, result)
        // The session calls back on a serial queue of its own.
        let session = URLSession(configuration: .ephemeral, delegate: transfer, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: url)
        try await withTaskCancellationHandler {
            if !Task.isCancelled { task.resume() }
            // A task of its own waits on after a cancellation: the file is in use until the session says that it has ended.
            try await Task { for await result in results { try result.get() } }.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// One download. Only the session's queue uses it once it has begun, hence `@unchecked`.
private final class Transfer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let file: IncomingFile
    let result: AsyncStream<Result<Void, any Error>>.Continuation
    var problem: (any Error)?
    var redirects = 0

    init(_ file: IncomingFile, _ result: AsyncStream<Result<Void, any Error>>.Continuation) {
        (self.file, self.result) = (file, result)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        take { try file.begin(status: status, mimeType: response.mimeType, length: response.expectedContentLength) }
        completionHandler(problem == nil ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        take { try file.append(data) }
        if problem != nil { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        redirects += 1
        // Without another request, the redirect itself is the answer, and its status is refused.
        completionHandler(redirects > 5 || request.url?.scheme?.hasPrefix("http") != true ? nil : request)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        result.yield((problem ?? error).map(Result.failure) ?? .success(()))
        result.finish()
    }

    private func take(_ step: () throws -> Void) {
        guard problem == nil else { return }
        do { try step() } catch { problem = error }
    }
}
