/// One packet of the line between worker, zygote and decoder process.
package protocol WireMessage: Sendable, Equatable {
    var packet: [UInt8] { get }
    init(packet: [UInt8]) throws(WireError)
}

/// What holds for every packet.
package enum Wire {
    /// The most bytes of one message. A longer packet is no message.
    package static let packetLimit = 2048
}
