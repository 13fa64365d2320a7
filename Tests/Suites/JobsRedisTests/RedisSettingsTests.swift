import Base
import Jobs
import JobsRedis
import Media
import Testing

@Suite("The URL of a Redis")
struct RedisSettingsTests {
    @Test(
        "a URL names the Redis and the queue on it",
        arguments: [
            ("redis://localhost", RedisSettings(host: "localhost")),
            (
                "rediss://queue.example:6390/2",
                RedisSettings(host: "queue.example", port: 6390, database: 2, usesTLS: true)
            ),
            ("redis://:s%3Acret@10.0.0.1", RedisSettings(host: "10.0.0.1", password: Secret("s:cret"))),
            ("redis://worker:p%40ss@host/", RedisSettings(host: "host", user: "worker", password: Secret("p@ss"))),
            ("redis://[::1]:7000", RedisSettings(host: "::1", port: 7000)),
            ("redis://h?lane=video&namespace=push.eu", RedisSettings(host: "h", namespace: "push.eu", lane: "video")),
            (
                "redis-sentinel://a:1,b,[::1]:3,[::2]/mymaster",
                RedisSettings(
                    sentinels: SentinelGroup(
                        [
                            HostAndPort(host: "a", port: 1), HostAndPort(host: "b", port: 26_379),
                            HostAndPort(host: "::1", port: 3), HostAndPort(host: "::2", port: 26_379),
                        ],
                        name: "mymaster",
                    )
                )
            ),
            (
                "redis-sentinel://a:1/m?servers=10.0.0.7,[::1],redis-2",
                RedisSettings(
                    sentinels: SentinelGroup(
                        [HostAndPort(host: "a", port: 1)],
                        name: "m",
                        passwordServers: .hosts(["10.0.0.7", "::1", "redis-2"]),
                    )
                )
            ),
            (
                "redis-sentinel://a:1/m?servers=any",
                RedisSettings(
                    sentinels: SentinelGroup([HostAndPort(host: "a", port: 1)], name: "m", passwordServers: .any)
                )
            ),
            (
                "rediss-sentinel://worker:p%40s,s@a:1/push.eu/2?lane=video&sentinelUser=w&sentinelPassword=s%26t",
                RedisSettings(
                    sentinels: SentinelGroup(
                        [HostAndPort(host: "a", port: 1)],
                        name: "push.eu",
                        user: "w",
                        password: Secret("s&t"),
                    ),
                    user: "worker",
                    password: Secret("p@s,s"),
                    database: 2,
                    usesTLS: true,
                    lane: "video",
                )
            ),
        ]
    )
    func understood(url: String, settings: RedisSettings) throws {
        #expect(try RedisSettings(url: url) == settings)
    }

    @Test(
        "an invalid URL is refused, and its password is not repeated",
        arguments: [
            "", "localhost:6379", "http://host", "redis://", "redis:///0", "redis://host:0", "redis://host:70000",
            "redis://secret@host", "redis://host/one", "redis://host/-1", "redis://host?lane=", "redis://host?lane=a}b",
            "redis://:secret@host?queue=a", "redis://:secret@host#x", "redis://host?sentinelPassword=secret",
            "redis-sentinel://:secret@host", "redis-sentinel://:secret@host/", "redis-sentinel:///mymaster",
            "redis-sentinel://:secret@a,/mymaster", "redis-sentinel://:secret@a:0/mymaster",
            "redis-sentinel://:secret@a:1,b:70000/mymaster", "redis-sentinel://:secret@a b/mymaster",
            "redis-sentinel://:secret@a/my master", "redis-sentinel://:secret@a/mymaster/x",
            "redis-sentinel://:secret@a/mymaster#x", "redis-sentinel://secret@a/mymaster",
            "redis-sentinel://a/mymaster?sentinelUser=secret", "redis-sentinel://a/mymaster?sentinelPassword=",
            "redis://:secret@a?servers=any", "redis-sentinel://a/mymaster?servers=",
            "redis-sentinel://a/mymaster?servers=b,,c", "redis-sentinel://a/mymaster?servers=b%20c",
        ]
    )
    func refused(url: String) {
        let error = #expect(throws: JobQueueError.self) { try RedisSettings(url: url) }
        #expect(error?.reason == .misconfigured)
        #expect(error?.description.contains("secret") == false)
    }
}
