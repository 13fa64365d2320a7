/// Why a packet from the other side is no message. Whoever sent it is broken or hostile.
package enum WireError: Error, Sendable, Equatable {
    /// The packet ends inside a value.
    case truncated
    /// The packet goes on after its message.
    case trailingBytes
    /// No message, or no case of an enumeration, has this number.
    case unknownCase(UInt8)
    /// A number, flag or text is outside what its place allows.
    case invalidValue
}
