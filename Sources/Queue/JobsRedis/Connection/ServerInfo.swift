/// A server's description of itself: the reply to the command INFO.
struct ServerInfo {
    /// The age in seconds of a replica's last sign of life, above which the primary is not sure of it. Replicas give
    /// one each second. It is below the five seconds after which sentinels no longer promote such a replica by its
    /// last known state.
    private static let latestSign = 3

    private var values: [Substring: Substring] = [:]

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = line[line.index(after: colon)...]
        }
    }

    subscript(name: Substring) -> Substring? { values[name] }

    var isPrimary: Bool { values["role"] == "master" }

    /// The identifier of the history of changes. It is another one after a restart, and after the server was a replica.
    var history: Substring? { values["master_replid"] }

    /// A Boolean value that indicates whether the server refuses changes while too few replicas follow it.
    var needsReplicas: Bool { values["min_slaves_good_slaves"] != nil }

    /// The number of replicas that follow the server now.
    var replicas: Int {
        values.count { name, value in
            guard name.hasPrefix("slave"), name.dropFirst(5).allSatisfy(\.isNumber) else { return false }
            let fields = value.split(separator: ",")
            guard fields.contains("state=online"), let lag = fields.first(where: { $0.hasPrefix("lag=") }),
                let seconds = Int(lag.dropFirst(4))
            else { return false }
            return (0...Self.latestSign).contains(seconds)
        }
    }
}
