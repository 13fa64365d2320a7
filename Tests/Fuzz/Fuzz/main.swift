// fuzz TARGET [libFuzzer's options] [FOLDER]: runs one target. Without a target, lists the targets.
import CFuzzer
import Glibc

let chosen = CommandLine.arguments.dropFirst().first.flatMap { FuzzTarget(rawValue: $0) }
if let chosen {
    // libFuzzer's own arguments begin in place of the program's name.
    var count = CommandLine.argc - 1
    var arguments = unsafe Optional(UnsafeMutablePointer(CommandLine.unsafeArgv + 1))
    unsafe current = chosen
    exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
}
for target in FuzzTarget.allCases { print(target.rawValue) }
