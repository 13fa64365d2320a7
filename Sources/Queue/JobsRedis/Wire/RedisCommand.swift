/// A command to the server: an array of byte strings.
package struct RedisCommand: Sendable {
    package let bytes: [UInt8]

    package init(_ arguments: [[UInt8]]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(arguments.reduce(16) { $0 + $1.count + 16 })
        bytes.append(contentsOf: "*\(arguments.count)\r\n".utf8)
        for argument in arguments {
            bytes.append(contentsOf: "$\(argument.count)\r\n".utf8)
            bytes.append(contentsOf: argument)
            bytes.append(contentsOf: "\r\n".utf8)
        }
        self.bytes = bytes
    }

    package init(_ words: [String]) { self.init(words.map { Array($0.utf8) }) }

    package init(_ words: String...) { self.init(words) }
}
