/// The reason why a packet is not a valid message. Its sender is broken or hostile.
package enum WireError: Error, Sendable, Equatable {
    /// The packet ends inside a value.
    case truncated
    /// The packet continues after its message.
    case trailingBytes
    /// The number is not a message or a case of the enumeration.
    case unknownCase(UInt8)
    /// A number, flag, or text is outside its valid range.
    case invalidValue
}
