// A decoder that does what its source says, in words, rather than decode it: hang, lie, flood, break out.
// It is the decoder program in all but that: the same zygote, the same lockdown.
import Glibc
import Sandbox

do {
    var zygote = Zygote(enclosure: try Enclosure.enter()) { line, lockDown in
        EvilProcess(line: line, lockDown: lockDown).run()
    }
    try zygote.run()
} catch {
    exit(1)
}
