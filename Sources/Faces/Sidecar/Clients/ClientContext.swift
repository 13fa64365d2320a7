import Hummingbird
import NIOCore

/// The context of a request, with the address of its client.
struct ClientContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let client: ClientAddress

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = ClientAddress(source.channel.remoteAddress)
    }
}
