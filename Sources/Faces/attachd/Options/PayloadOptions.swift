import ArgumentParser
import Payloads

/// The payload of a command, and how it is read.
struct PayloadOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The file with the payload, or - for standard input.", valueName: "payload"),
        completion: .file()
    )
    var path = "-"
    @Option(
        help: "Find attachments by this dialect only. (default: the most specific that finds one)",
        completion: .list(Dialect.builtIn.map(\.name))
    )
    var dialect: String?
    @Option(
        help: "The type of the push, which determines the size limit of the payload: alert or voip. (default: alert)",
        completion: .list(PushType.allCases.map(\.rawValue)),
        transform: { text in
            guard let pushType = PushType(rawValue: text) else { throw ValidationError("Write \(PushType.names).") }
            return pushType
        },
    )
    var pushType = PushType.alert

    /// Reads the payload's bytes.
    func read() throws -> [UInt8] { try PayloadInput.read(path) }
}
