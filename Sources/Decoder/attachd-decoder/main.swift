// The program that decodes media. The worker starts it once, with a socket as its standard input. It forks one process
// for each attachment, which gives up its rights, does its job, and ends.
import AudioVideo
import Base
import DecoderWire
import Glibc
import Images
import Sandbox

// A service manager ends all processes of a service at once. The worker uses the time that it has to answer, and ends this
// program afterwards.
signal(SIGTERM, SIG_IGN)
signal(SIGINT, SIG_IGN)
Zygote.yieldToWorker()
do {
    try Libvips.start()
    Libvips.warmUpBeforeFork()
    Libav.warmUp()
    Rehearsal.run()
    // For `attachd doctor`, which loads no media library itself.
    if CommandLine.arguments.dropFirst().first == "--libraries" {
        for library in LoadedLibrary.ofThisProcess { print(library.line) }
        exit(0)
    }
    // After this call, no file can be opened.
    var zygote = Zygote(enclosure: try Enclosure.enter()) { line, lockDown in
        DecoderProcess(line: line).run(lockDown)
    }
    try zygote.run()
} catch {
    exit(1)
}
