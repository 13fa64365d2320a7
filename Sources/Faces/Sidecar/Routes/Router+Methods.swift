import HTTPTypes
import Hummingbird

extension Router {
    /// Answers the methods that no route has at a path that others have: `OPTIONS` with the allowed ones, the rest with 405
    /// (RFC 9110, sections 9.3.7 and 15.5.6). Call this after all routes are added.
    func addOtherMethods() {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .query]
        for (path, routes) in Dictionary(grouping: routes, by: { "\($0.path)" }) {
            var own = Set(routes.map(\.method))
            // The router makes each of these from its GET.
            if own.contains(.get) { own.insert(.head) }
            let allowed = known.filter { own.contains($0) || $0 == .options }.map(\.rawValue).joined(separator: ", ")
            for method in known where !own.contains(method) {
                on(RouterPath(path), method: method) { request, _ in
                    guard request.method == .options else {
                        throw Problem(notAllowed: request.method, at: request.uri.path, allowed: allowed)
                    }
                    return Response(status: .noContent, headers: [.allow: allowed])
                }
            }
        }
    }
}

extension HTTPRequest.Method {
    /// A request for a query whose description is its body (the HTTP QUERY method of the HTTP working group).
    fileprivate static let query: Self = {
        guard let method = Self(rawValue: "QUERY") else { preconditionFailure("QUERY is not a method") }
        return method
    }()
}
