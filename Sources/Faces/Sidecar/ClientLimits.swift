/// What clients may take of time and connections, so that the slow ones hold nothing that the others need.
package struct ClientLimits: Sendable {
    /// How long a request's header may take, from the connection's start or from its first byte.
    package var headTime: Duration
    /// How long a request's body may take in all.
    package var bodyTime: Duration
    /// A request that takes longer than this is slow: it makes way when connections are short.
    package var slowTime: Duration
    /// The most slow requests of one address.
    package var slowPerAddress: Int
    /// How often a client that is being answered must have taken `sendBytes` more, or all that there is.
    package var sendTime: Duration
    package var sendBytes: Int
    /// How long a connection stays open without a request.
    package var idleTime: Duration
    /// Connections beside all others that only health checks are answered on.
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
