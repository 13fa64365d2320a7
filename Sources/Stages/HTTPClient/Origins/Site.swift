import Base
import CPSL
import Media

extension Site {
    /// Creates the owner of a host, whatever tenants it has.
    init(host: String) { self.init(name: Self.owner(of: host.lowercased())) }

    private static func owner(of host: String) -> String {
        if let address = IPAddress(host)?.unmapped { return block(of: address) }
        // "host." and "host" are the same name.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let domain = unsafe name.withCString { start in
            // The domain is a part of the text that libpsl was given, and is gone with it.
            unsafe psl_registrable_domain(psl_builtin(), start).map { unsafe String(cString: $0) }
        }
        return domain ?? name
    }

    private static func block(of address: IPAddress) -> String {
        switch address.family {
        case .v4: "\(IPAddress(v4: UInt32(truncatingIfNeeded: address.bits) & 0xFFFF_FF00))/24"
        case .v6: "\(IPAddress(v6: (address.bits >> 80) << 80))/48"
        }
    }
}

// MARK: - Shared hosts

/// Hosts whose paths begin with a customer's name, so that the failures of one customer do not count against all others.
///
/// These are known stores of objects whose URLs name the bucket in the path, and every host that is itself a public suffix
/// of a provider (the private part of the Public Suffix List): below it, each customer has a name of its own, so what it
/// serves itself belongs to many.
enum SharedHost {
    private struct Rule {
        /// The pattern of the host; `*` stands for any characters.
        let host: String
        /// The names before the customer's one, such as `v0/b`.
        var prefix: [String] = []
        /// The number of names that are the customer's.
        var count = 1
    }

    private static let rules: [Rule] = [
        Rule(host: "s3.amazonaws.com"), Rule(host: "s3.*.amazonaws.com"), Rule(host: "s3-*.amazonaws.com"),
        Rule(host: "s3.*.amazonaws.com.cn"),
        Rule(host: "storage.googleapis.com", prefix: ["storage", "v1", "b"]),
        Rule(host: "storage.googleapis.com", prefix: ["download", "storage", "v1", "b"]),
        Rule(host: "storage.googleapis.com"), Rule(host: "commondatastorage.googleapis.com"),
        Rule(host: "storage.cloud.google.com"),
        Rule(host: "firebasestorage.googleapis.com", prefix: ["v0", "b"]),
        Rule(host: "*.blob.core.windows.net"), Rule(host: "*.blob.core.chinacloudapi.cn"),
        Rule(host: "*.digitaloceanspaces.com"), Rule(host: "*.r2.cloudflarestorage.com"),
        Rule(host: "s3.wasabisys.com"), Rule(host: "s3.*.wasabisys.com"), Rule(host: "s3.*.backblazeb2.com"),
        Rule(host: "f*.backblazeb2.com", prefix: ["file"]), Rule(host: "s3.*.scw.cloud"),
        Rule(host: "*.linodeobjects.com"), Rule(host: "*.vultrobjects.com"), Rule(host: "oss-*.aliyuncs.com"),
        Rule(host: "storage.yandexcloud.net"),
        Rule(host: "objectstorage.*.oraclecloud.com", prefix: ["n"], count: 3),
        Rule(host: "raw.githubusercontent.com"), Rule(host: "res.cloudinary.com"),
        Rule(host: "images.ctfassets.net"), Rule(host: "assets.ctfassets.net"),
    ]

    /// Returns the beginning of a path that names the customer of a host; `nil` if the host belongs to one owner, or the
    /// path has nothing behind that name.
    ///
    /// `host` and `segments` are in lower case.
    static func customer(of host: String, _ segments: [String]) -> String? {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let known = rules.filter { Wildcard.matches(name.utf8, $0.host.utf8) }
        let count =
            if let rule = known.first(where: { segments.starts(with: $0.prefix) }) {
                rule.prefix.count + rule.count
            } else {
                known.isEmpty && isSuffix(String(name)) ? 1 : 0
            }
        // A name with nothing behind it is the file.
        guard count > 0, segments.count > count else { return nil }
        return segments.prefix(count).joined(separator: "/")
    }

    private static func isSuffix(_ host: String) -> Bool {
        let kinds = PSL_TYPE_PRIVATE | PSL_TYPE_NO_STAR_RULE
        return unsafe host.withCString { unsafe psl_is_public_suffix2(psl_builtin(), $0, kinds) } == 1
    }
}
