// The process in which media is decoded. The worker starts it once, with a socket as its standard input; from it one
// process is forked for each attachment, locked down, and gone when that attachment is done.
import AudioVideo
import DecoderWire
import Glibc
import Images
import Sandbox

// The worker's timers and answers come first, even where decoding takes every core.
_ = nice(5)
do {
    try Libvips.start()
    Libvips.warmUpBeforeFork()
    Libav.warmUp()
    // From here on no file can be opened.
    var zygote = Zygote(enclosure: try Enclosure.enter()) { line, lockDown in
        DecoderProcess(line: line).run(lockDown)
    }
    try zygote.run()
} catch {
    exit(1)
}
