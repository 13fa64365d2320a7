/// The body of the response to a list: a JSON array with an answer for each element, in order.
enum ListBody {
    /// Returns the body with `answers`, each as `json` writes it, or its problem.
    static func bytes<Value>(
        _ answers: [Result<Value, Problem>],
        json: (Value) -> [UInt8],
    ) -> [UInt8] {
        var body: [UInt8] = []
        for answer in answers {
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch answer {
            case .success(let value): body += json(value)
            case .failure(let problem): body += problem.body
            }
        }
        if body.isEmpty { body.append(UInt8(ascii: "[")) }
        return body + [UInt8(ascii: "]")]
    }
}
