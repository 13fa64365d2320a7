import Foundation
import Testing

@testable import HTTPClient

@Suite("Options of resolv.conf")
struct ResolverConfigurationTests {
    @Test("the options that c-ares does not know are read")
    func options() {
        var configuration = ResolverConfiguration()
        configuration.take(
            """
            # options timeout:9
            nameserver 192.0.2.1
            options ndots:2 timeout:3 attempts:4 rotate
            options\tuse-vc no-aaaa edns0
            """
        )
        #expect(configuration.answerTime == .seconds(3))
        #expect(configuration.tries == 4)
        #expect(configuration.usesTCP)
        #expect(!configuration.asksForIPv6)
    }

    @Test("values have the bounds of resolv.conf(5)")
    func bounds() {
        var configuration = ResolverConfiguration()
        configuration.take("options timeout:3600 attempts:100")
        #expect(configuration.answerTime == .seconds(30))
        #expect(configuration.tries == 5)
    }

    @Test(
        "what is not an option leaves the defaults",
        arguments: ["", "options", "options timeout:x attempts:0 timeout"]
    )
    func defaults(text: String) {
        var configuration = ResolverConfiguration()
        configuration.take(text)
        #expect(configuration == ResolverConfiguration())
    }

    @Test("a file that is missing has no options")
    func noFile() { #expect(ResolverConfiguration(file: "/nowhere/resolv.conf") == ResolverConfiguration()) }
}
