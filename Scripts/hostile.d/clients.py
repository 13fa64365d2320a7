"""Hostile clients, and an honest one."""

import asyncio
import json
import random
import urllib.parse


async def exchange(port, request, wait=30, pause=0):
    """Sends the parts of a request. Returns the answer, as far as it arrived."""
    answer = b""
    writer = None
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for part in request:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        while part := await asyncio.wait_for(reader.read(65_536), wait):
            answer += part
            if len(answer) > 1_000_000:
                break
    except (OSError, asyncio.TimeoutError):
        pass
    finally:
        if writer:
            writer.transport.abort()
    return answer


def request(port, method, path, body=b"", fields=()):
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", f"Content-Length: {len(body)}",
             *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogatepass") + body


class Clients:
    numbers = ["1e300", "-1e300", "1e999", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "0", "-0.0",
               "1e-300", "2.5", "86400", "4294967296"]
    durations = ["1e9h", "99999999999s", "0.0000001ms", "5s", "300s", "-1s", "1ms", "9" * 400 + "s", ""]

    def __init__(self, port, sources, seed=1):
        """Creates the clients. The last of `sources` is a good animation."""
        self.port, self.sources, self.random = port, sources, random.Random(seed)
        self.attacks = [getattr(self, name) for name in dir(self) if name.startswith("attack_")]
        # The requests that cause downloads or decoding.
        self.fetches = [self.attack_notification, self.attack_notification, self.attack_preview, self.attack_rewrite,
                        self.attack_thumbnail, self.attack_job]

    def source(self):
        return self.random.choice(self.sources)()

    def number(self):
        return self.random.choice(self.numbers)

    def payload(self):
        key = "UNNotificationAttachmentOptions"
        numbers = [self.number() for _ in range(9)]
        options = (f'{{"{key}ThumbnailTimeKey":{numbers[0]},"{key}ThumbnailClippingRectKey":'
                   f'{{"x":{numbers[1]},"y":{numbers[2]},"width":{numbers[3]},"height":{numbers[4]}}}}}')
        text = self.random.choice(['"Hi"', '"\\ud800"', '{"title":"\\udfff\\u0000"}', '"' + "a" * 3000 + '"'])
        return (f'{{"aps":{{"alert":{text},"mutable-content":1,"badge":{numbers[5]},"relevance-score":{numbers[6]}}},'
                f'"_wp":{{"attachments":[{{"url":{json.dumps(self.source())},"options":{options}}}]}}}}')

    def envelope(self, **more):
        fields = {"deadline": self.random.choice(self.durations[3:4] * 6 + self.durations), **more}
        if self.random.random() < 0.2:
            fields["clip"] = {"start": self.random.choice(self.durations), "duration": self.random.choice(self.durations)}
        rest = json.dumps(fields)[1:]
        return f'{{"payload":{self.payload()},{rest}'.encode()

    async def attack_notification(self):
        await exchange(self.port, [request(self.port, "POST", "/v1/notifications", self.envelope())])

    async def attack_rewrite(self):
        fields = [f"Attachd-Deadline: {self.random.choice(self.durations[3:4] * 6 + self.durations)}"]
        await exchange(self.port, [request(self.port, "POST", "/v1/rewrite", self.payload().encode(), fields)])

    async def attack_preview(self):
        fields = [f"Origin: http://127.0.0.1:{self.port}"]
        await exchange(self.port, [request(self.port, "POST", "/preview/notifications", self.envelope(), fields)])

    async def attack_thumbnail(self):
        """Sends one odd number. Everything else is valid, so that the number is really read."""
        payload = (f'{{"aps":{{"alert":"Hi","mutable-content":1}},"_wp":{{"attachments":[{{"url":"{self.sources[-1]()}",'
                   f'"options":{{"UNNotificationAttachmentOptionsThumbnailTimeKey":{self.number()}}}}}]}}}}')
        body = f'{{"payload":{payload},"deadline":"20s"}}'.encode()
        fields = [f"Origin: http://127.0.0.1:{self.port}"]
        await exchange(self.port, [request(self.port, "POST", "/preview/notifications", body, fields)])

    async def attack_job(self):
        more = {"callback": self.source()} if self.random.random() < 0.5 else {}
        answer = await exchange(self.port, [request(self.port, "POST", "/v1/jobs", self.envelope(**more))])
        name = answer.partition(b'{"id":"')[2].partition(b'"')[0].decode(errors="replace")
        if name and self.random.random() < 0.5:
            path = f"/v1/jobs/{name}?wait={self.random.choice(self.durations)}"
            await exchange(self.port, [request(self.port, "GET", path)])

    async def attack_paths(self):
        number, name = self.number(), "a" * 26
        path = self.random.choice([f"/v1/attachments/{name}.jpg?expires={number}&signature=a", f"/a/{name}.jpg?{number}",
                                   f"/v1/jobs/{number}?wait={number}s", "/" + "a/" * 4000, "/%00", "/preview/jobs?id=" + "%0a" * 500,
                                   "/v1/attachments/../../etc/passwd", "/metrics", "/readyz", "/openapi.json", "/preview"])
        fields = [f"Range: bytes={number}-{self.number()},-{number}", "If-None-Match: " + '"a",' * 500,
                  "traceparent: " + "0" * 2000]
        method = self.random.choice(["GET", "GET", "HEAD", "DELETE", "PUT", "OPTIONS", "PROPFIND", "BREW"])
        await exchange(self.port, [request(self.port, method, path, fields=fields)])

    async def attack_slow(self):
        """Sends a request byte by byte, or without an end."""
        whole = request(self.port, "POST", "/v1/notifications", self.envelope())
        end = self.random.randrange(1, 40)
        await exchange(self.port, [whole[i:i + 1] for i in range(end)], pause=0.5, wait=20)

    async def attack_halves(self):
        whole = request(self.port, "POST", "/v1/notifications", self.envelope())
        await exchange(self.port, [whole[:self.random.randrange(len(whole))]], wait=self.random.choice([0, 1, 20]))

    async def attack_framing(self):
        head = f"POST /v1/rewrite HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n".encode()
        await exchange(self.port, [head + self.random.choice([
            b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"Transfer-Encoding: chunked\r\n\r\n-1\r\na\r\n",
            b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Content-Length: 1e3\r\n\r\n",
            b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}", b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 20_000,
            b"Transfer-Encoding: gzip, chunked\r\n\r\n1\r\n{\r\n", b"X: " + b"y" * 200_000 + b"\r\n\r\n", b"\0\0\r\n\r\n",
            b"Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n",
        ])], wait=5)

    async def attack_json(self):
        body = self.random.choice([b"[" * 60_000, b'{"a":' * 10_000, b'"\\ud800', b"\xff\xfe", b"1" * 65_000, b"{}" * 40_000,
                                   b'{"payload":{"aps":{"alert":"\\ud800","mutable-content":1},"\\udfff":1}}'])
        path = self.random.choice(["/v1/rewrite", "/v1/notifications", "/v1/jobs", "/v1/responses", "/preview/leases"])
        await exchange(self.port, [request(self.port, "POST", path, body)], wait=10)

    async def attack_form(self):
        body = urllib.parse.urlencode({"content": self.payload(), "category": "a" * 100, "lease": "\r\n" * 9}).encode()
        fields = [f"Origin: http://127.0.0.1:{self.port}", "Content-Type: application/x-www-form-urlencoded"]
        await exchange(self.port, [request(self.port, "POST", "/preview/layout", body, fields)], wait=10)

    async def attack_pipeline(self):
        head = f"GET /livez HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()
        await exchange(self.port, [head * 500, b"nonsense\r\n\r\n"], wait=5)

    async def attack(self):
        await self.random.choice(self.fetches if self.random.random() < 0.7 else self.attacks)()

    async def honest(self, url, deadline=20):
        """Sends an honest notification. Returns its outcome, or `None` without an answer."""
        payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url}
        body = json.dumps({"payload": payload, "deadline": f"{deadline}s"}).encode()
        answer = await exchange(self.port, [request(self.port, "POST", "/v1/notifications", body)], wait=deadline + 10)
        try:
            return json.loads(answer.partition(b"\r\n\r\n")[2])["outcome"]
        except (ValueError, KeyError):
            return None
