import ArgumentParser
import Glibc

@main
struct Attachd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachd",
        abstract: "Prepares the media attachments of push notifications before the push is sent.",
        subcommands: [
            ProcessCommand.self, ServeCommand.self, WorkCommand.self, EnqueueCommand.self, JobsCommand.self,
            ForgetCommand.self, BatchCommand.self, LoadTestCommand.self, OriginCommand.self, DialectsCommand.self,
            DoctorCommand.self,
        ],
    )

    static func main() async {
        // A closed pipe is an error of write(2) and must not end the program.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
