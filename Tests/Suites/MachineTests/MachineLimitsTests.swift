import Foundation
import Support
import Testing

@testable import Base

@Suite("The limits of the machine")
struct MachineLimitsTests {
    private static let machine = (memoryBytes: 8_000_000_000, processorCount: 8)

    /// Returns the limits on a system with these files.
    private func limits(_ files: [String: String]) throws -> [Int] {
        let folder = try TemporaryFolder()
        for (path, text) in files {
            let file = folder.url.appending(path: String(path.dropFirst()))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        let limits = MachineLimits(root: folder.url.path, machine: Self.machine)
        return [limits.memoryBytes, limits.processorCount]
    }

    @Test("a group's own limits count (version 2)")
    func own() throws {
        let found = try limits([
            "/proc/self/cgroup": "0::/system.slice/attachd.service\n",
            "/sys/fs/cgroup/system.slice/attachd.service/memory.max": "4294967296\n",
            "/sys/fs/cgroup/system.slice/attachd.service/cpu.max": "200000 100000\n",
        ])
        #expect(found == [4_294_967_296, 2])
    }

    @Test("the limits of the groups around it count, too: the lowest one of each kind")
    func around() throws {
        let found = try limits([
            "/proc/self/cgroup": "0::/a/b/c\n",
            "/sys/fs/cgroup/a/b/c/memory.max": "max\n", "/sys/fs/cgroup/a/b/c/cpu.max": "400000 100000\n",
            "/sys/fs/cgroup/a/b/memory.max": "1000000000\n", "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/a/memory.max": "2000000000\n", "/sys/fs/cgroup/a/cpu.max": "150000 100000\n",
        ])
        #expect(found == [1_000_000_000, 2])
    }

    @Test("in a container, the group is the root that it sees, whatever its path on the host is")
    func container() throws {
        for path in ["/", "/docker/0123abc"] {
            let found = try limits([
                "/proc/self/cgroup": "0::\(path)\n", "/sys/fs/cgroup/memory.max": "268435456\n",
                "/sys/fs/cgroup/cpu.max": "50000 100000\n",
            ])
            #expect(found == [268_435_456, 1])
        }
    }

    @Test("version 1 has other files, and numbers for no limit")
    func old() throws {
        let groups = "12:memory:/pod/one\n7:cpu,cpuacct:/pod/one\n0::/pod/one\n"
        let found = try limits([
            "/proc/self/cgroup": groups,
            "/sys/fs/cgroup/memory/pod/one/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/pod/memory.limit_in_bytes": "536870912\n",
            "/sys/fs/cgroup/cpu/pod/one/cpu.cfs_quota_us": "-1\n",
            "/sys/fs/cgroup/cpu/pod/one/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us": "300000\n",
            "/sys/fs/cgroup/cpu/pod/cpu.cfs_period_us": "100000\n",
        ])
        #expect(found == [536_870_912, 3])
    }

    @Test(
        "without a limit, or with one that cannot be read, the machine's numbers count",
        arguments: ["", "max\n", "\n", "-5\n", "x y\n", "99999999999999999999999\n", "9223372036854775807 1\n"]
    )
    func none(text: String) throws {
        let found = try limits([
            "/proc/self/cgroup": "0::/a\nnonsense\n", "/sys/fs/cgroup/a/memory.max": text,
            "/sys/fs/cgroup/a/cpu.max": text,
        ])
        #expect(found == [Self.machine.memoryBytes, Self.machine.processorCount])
        #expect(try limits([:]) == found)
    }

    @Test("this process has memory and a processor")
    func real() throws {
        let limits = MachineLimits.ofThisProcess
        #expect(limits.memoryBytes > 1 << 26 && (1...4096).contains(limits.processorCount))
        let resident = try #require(ProcessMemory.ofThisProcess)
        #expect(resident > 1 << 20 && resident < limits.memoryBytes)
        #expect(ProcessMemory.bytes(of: Int32.max) == nil)
    }
}
