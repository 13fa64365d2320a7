/// The limits of clients' time and connections, so that slow clients do not block the others.
package struct ClientLimits: Sendable {
    /// The time limit of a request's header, from the start of the connection or from the header's first byte.
    package var headTime: Duration
    /// The time limit of a request's complete body.
    package var bodyTime: Duration
    /// The time after which a request counts as slow. Its connection may be closed when connections are scarce.
    package var slowTime: Duration
    /// The maximum number of slow requests from one address.
    package var slowPerAddress: Int
    /// The interval in which a client must receive another `sendBytes`, or all pending bytes, of an answer.
    package var sendTime: Duration
    package var sendBytes: Int
    /// The time for which a connection stays open without a request.
    package var idleTime: Duration
    /// The number of additional connections that are reserved for health checks.
    package var reserve: Int

    package init(
        headTime: Duration = .seconds(10),
        bodyTime: Duration = .seconds(10),
        slowTime: Duration = .seconds(1),
        slowPerAddress: Int = 32,
        sendTime: Duration = .seconds(30),
        sendBytes: Int = 16_384,
        idleTime: Duration = .seconds(60),
        reserve: Int = 32,
    ) {
        self.headTime = headTime
        self.bodyTime = bodyTime
        self.slowTime = slowTime
        self.slowPerAddress = slowPerAddress
        self.sendTime = sendTime
        self.sendBytes = sendBytes
        self.idleTime = idleTime
        self.reserve = reserve
    }
}
