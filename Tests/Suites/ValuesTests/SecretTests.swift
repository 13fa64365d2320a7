import Base
import Media
import Testing

@Suite("A secret")
struct SecretTests {
    private struct Account {
        var user = "worker"
        var password: Secret<String>? = Secret("hunter2hunter2")
        var key = Secret(Array("hunter2hunter2".utf8))
    }

    @Test("appears in no text, neither its own nor that of a type that contains it")
    func redacted() {
        let account = Account()
        var texts = [
            "\(account)", String(reflecting: account), "\(account.key)", "\(account.key.customMirror.children)",
        ]
        dump(account, to: &texts[0])
        for text in texts { #expect(!text.contains("hunter2") && !text.contains("104, 117"), "\(text)") }
        #expect(account.password?.revealed == "hunter2hunter2")
    }

    @Test("is equal to another one with the same value")
    func equality() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
    }
}
