/// One packet between the worker, the zygote, and a decoder process.
package protocol WireMessage: Sendable, Equatable {
    var packet: [UInt8] { get }
    init(packet: [UInt8]) throws(WireError)
}

/// The limits of all packets.
package enum Wire {
    /// The largest size of a message, in bytes. A longer packet is not a message.
    package static let packetLimit = 4096
}
