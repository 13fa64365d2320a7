// A decoder that obeys commands in its source instead of decoding it: hang, lie, flood, break out. Everything else is
// as in the decoder program: the same zygote, the same lockdown.
import Glibc
import Sandbox

Zygote.yieldToWorker()
do {
    var zygote = Zygote(enclosure: try Enclosure.enter()) { line, lockDown in
        EvilProcess(line: line, lockDown: lockDown).run()
    }
    try zygote.run()
} catch {
    exit(1)
}
