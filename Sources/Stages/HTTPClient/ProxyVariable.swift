import Glibc

/// The environment's variables for proxies. attachd uses none: a proxy would be the only address that its policy for addresses
/// sees.
package enum ProxyVariable {
    /// The variables that libcurl knows, and other programs follow.
    package static let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]

    package static let advice = "attachd uses no proxy. Let it reach origins directly."

    /// What to add to the message of a failed connection: a sentence if the environment names a proxy, or nothing.
    static let remark: String = {
        let name = names.first { unsafe getenv($0).map { unsafe $0.pointee != 0 } ?? false }
        return name.map { " \($0) is set, but \(advice)" } ?? ""
    }()
}
