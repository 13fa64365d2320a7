/// The name of this machine or container, as the kernel has it. Nothing is looked up in a network.
package enum HostName {
    package static var current: String? {
        SmallFile.text(at: "/proc/sys/kernel/hostname").map { String($0.prefix { $0 != "\n" }) }
    }
}
