// fuzz TARGET [libFuzzer's options] [FOLDER]: runs one target. Without a target it lists them.
import CFuzzer
import Glibc

let chosen = CommandLine.arguments.dropFirst().first.flatMap { FuzzTarget(rawValue: $0) }
if let chosen {
    // libFuzzer's own arguments begin where the program's name stands.
    var count = CommandLine.argc - 1
    var arguments = unsafe Optional(UnsafeMutablePointer(CommandLine.unsafeArgv + 1))
    unsafe current = chosen
    exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
}
for target in FuzzTarget.allCases { print(target.rawValue) }
