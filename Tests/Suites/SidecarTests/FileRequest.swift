/// A request for a file, and the answer that RFC 9110 demands.
///
/// In a field's value, `{tag}` stands for the server's own entity tag, `{date}` for the file's modification time,
/// `{before}` and `{after}` for a day earlier and later; `{date850}` and `{asctime}` are the old forms of `{date}`.
struct FileRequest: CustomStringConvertible, Sendable {
    var method = "GET"
    var fields: [String: String] = [:]
    var status: Int
    /// The different answer of nginx 1.22, and the reason why attachd doesn't give it.
    var nginx: (status: Int, why: String)?

    var description: String {
        ([method] + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }).joined(separator: " · ")
    }

    private static func range(_ range: String, _ status: Int) -> FileRequest {
        FileRequest(fields: ["Range": range], status: status)
    }

    private static func condition(_ name: String, _ value: String, _ status: Int) -> FileRequest {
        FileRequest(fields: [name: value], status: status)
    }

    private static func ifRange(_ value: String, _ status: Int) -> FileRequest {
        FileRequest(fields: ["Range": "bytes=0-9", "If-Range": value], status: status)
    }

    static let all =
        plain + single + several + useless + tags + dates + partial + together + heads + differing + ignored

    private static let plain = [
        FileRequest(status: 200), FileRequest(method: "HEAD", status: 200),
        FileRequest(fields: ["Accept": "text/html"], status: 200),
        FileRequest(fields: ["Accept-Encoding": "gzip, br"], status: 200),
    ]

    private static let single = [
        range("bytes=0-0", 206), range("bytes=0-99", 206), range("bytes=0-", 206), range("bytes=100-199", 206),
        range("bytes=131071-131072", 206), range("bytes=1-299998", 206), range("bytes=299999-", 206),
        range("bytes=299999-299999", 206), range("bytes=299990-400000", 206), range("bytes=0-999999999", 206),
        range("bytes=-1", 206), range("bytes=-500", 206), range("bytes=-299999", 206), range("bytes=-300000", 206),
        range("bytes=-999999999", 206), range("BYTES=0-9", 206), range("bytes= 5-9", 206), range("bytes=5 - 9", 206),
        range("bytes=0005-0009", 206),
    ]

    private static let several = [
        range("bytes=0-299999,0-0", 200), range("bytes=0-,0-", 200), range("bytes=0-199999,100000-299999", 200),
        range("bytes=" + (0..<100).map { "\($0 * 10)-\($0 * 10 + 4)" }.joined(separator: ","), 200),
    ]

    /// Requests for several ranges, which get the whole file.
    private static let ignored = [
        ("0-0,2-2", 206), ("0-9, 20-29", 206), ("20-29,0-9", 206), ("0-9,5-14", 206), ("0-0,-1", 206),
        ("0-9,400000-400009", 206), ("400000-,5-9,500000-", 206), ("0-140000,200000-299999", 206),
        ("300000-,400000-500000", 416), ("0-9,x", 416), ("0-9,,20-29,", 416),
    ]
    .map { ranges, status in
        FileRequest(
            fields: ["Range": "bytes=\(ranges)"],
            status: 200,
            nginx: (status, "section 14.2: a server may ignore the field, as we do when it names several ranges")
        )
    }

    private static let useless = [
        range("bytes=300000-", 416), range("bytes=300000-300001", 416), range("bytes=999999999-", 416),
        range("bytes=9-5", 416), range("bytes=-0", 416), range("bytes=x", 416), range("bytes=1", 416),
        range("bytes=-", 416), range("bytes=1-2-3", 416), range("bytes=0-9;10-19", 416), range("bytes=0x1-2", 416),
        range("bytes=99999999999999999999-", 416), range("bytes=", 200), range("bytes", 200),
        range("items=0-9", 200), range("0-9", 200), range("bytes 0-9", 200), range("seconds=1-2,3-4", 200),
    ]

    private static let tags = [
        condition("If-None-Match", "{tag}", 304), condition("If-None-Match", "W/{tag}", 304),
        condition("If-None-Match", "*", 304), condition("If-None-Match", "\"x\"", 200),
        condition("If-None-Match", "\"x\", {tag}", 304), condition("If-None-Match", "W/\"x\",W/{tag} , \"y\"", 304),
        condition("If-None-Match", "\"x\", \"y\"", 200), condition("If-None-Match", "x", 200),
        condition("If-Match", "{tag}", 200), condition("If-Match", "*", 200), condition("If-Match", "\"x\"", 412),
        condition("If-Match", "\"x\", {tag}", 200), condition("If-Match", "W/{tag}", 412),
        condition("If-Match", "\"x\",\"y\"", 412),
    ]

    private static let dates = [
        condition("If-Modified-Since", "{date}", 304), condition("If-Modified-Since", "{after}", 304),
        condition("If-Modified-Since", "{before}", 200), condition("If-Modified-Since", "{date850}", 304),
        condition("If-Modified-Since", "{asctime}", 304), condition("If-Modified-Since", "yesterday", 200),
        condition("If-Unmodified-Since", "{date}", 200), condition("If-Unmodified-Since", "{after}", 200),
        condition("If-Unmodified-Since", "{before}", 412),
    ]

    private static let partial = [
        ifRange("{tag}", 206), ifRange("\"x\"", 200), ifRange("W/{tag}", 200), ifRange("{date}", 206),
        ifRange("{before}", 200), ifRange("{after}", 200), ifRange("x", 200),
        FileRequest(fields: ["If-Range": "{tag}"], status: 200),
        FileRequest(fields: ["If-Range": "\"x\"", "Range": "bytes=300000-"], status: 200),
    ]

    private static let together = [
        FileRequest(fields: ["If-None-Match": "{tag}", "Range": "bytes=0-9"], status: 304),
        FileRequest(fields: ["If-None-Match": "\"x\"", "Range": "bytes=0-9"], status: 206),
        FileRequest(fields: ["If-Match": "{tag}", "Range": "bytes=0-9"], status: 206),
        FileRequest(fields: ["If-Match": "\"x\"", "Range": "bytes=0-9"], status: 412),
        FileRequest(fields: ["If-Match": "\"x\"", "If-None-Match": "{tag}"], status: 412),
        FileRequest(fields: ["If-Match": "{tag}", "If-None-Match": "{tag}"], status: 304),
        FileRequest(fields: ["If-None-Match": "{tag}", "If-Modified-Since": "{date}"], status: 304),
        FileRequest(fields: ["If-None-Match": "\"x\"", "If-Modified-Since": "{date}"], status: 200),
        FileRequest(fields: ["If-Unmodified-Since": "{date}", "Range": "bytes=0-9"], status: 206),
        FileRequest(fields: ["If-Modified-Since": "{date}", "Range": "bytes=300000-"], status: 304),
    ]

    private static let heads = [
        FileRequest(method: "HEAD", fields: ["If-None-Match": "{tag}"], status: 304),
        FileRequest(method: "HEAD", fields: ["If-None-Match": "\"x\""], status: 200),
        FileRequest(method: "HEAD", fields: ["If-Match": "\"x\""], status: 412),
        FileRequest(method: "HEAD", fields: ["If-Modified-Since": "{date}"], status: 304),
    ]

    private static let differing = [
        FileRequest(
            method: "HEAD",
            fields: ["Range": "bytes=0-9"],
            status: 200,
            nginx: (206, "section 14.2: ranges are for GET, and are ignored with any other method")
        ),
        FileRequest(
            fields: ["If-None-Match": "{tag}", "If-Modified-Since": "{before}"],
            status: 304,
            nginx: (200, "section 13.1.3: If-Modified-Since is ignored beside If-None-Match")
        ),
        FileRequest(
            fields: ["If-Match": "{tag}", "If-Unmodified-Since": "{before}"],
            status: 200,
            nginx: (412, "section 13.1.4: If-Unmodified-Since is ignored beside If-Match")
        ),
        FileRequest(
            fields: ["If-Unmodified-Since": "yesterday"],
            status: 200,
            nginx: (412, "section 13.1.4: an invalid date is ignored")
        ),
        FileRequest(
            fields: ["Range": "bytes=,0-9,,"],
            status: 206,
            nginx: (416, "section 5.6.1.2: empty elements of a list are ignored")
        ),
    ]
}
