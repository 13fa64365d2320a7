import Foundation

/// An HTTPS origin on loopback that speaks HTTP/2, frame by frame, and attacks every client in one way, whichever
/// protocol the client speaks.
package final class HTTP2Origin {
    /// An attack that replaces or accompanies the answer.
    package enum Attack: String, CaseIterable, Sendable {
        /// A body of 100,000 bytes, all of them `x`.
        case none
        /// Four nested gzips of empty blocks, under `content-encoding`.
        case bomb
        /// A `transfer-encoding`, which HTTP/2 doesn't have.
        case transferEncoding
        /// A head of endless CONTINUATION frames, and one of endless empty frames.
        case continuations, emptyContinuations
        /// One field of 4,000 bytes in the header table, referenced 10,000 times by one byte each.
        case fieldBomb
        /// Thousands of fields, and endless interim answers.
        case manyFields, interimAnswers
        /// No byte after the head; one byte in each frame; frames without a byte.
        case silence, drip, emptyFrames
        /// Endless control frames only.
        case pings, settings, windowUpdates, priorities
        /// RST_STREAM at once, and after half of the body; GOAWAY midway; a push without a request.
        case reset, lateReset, goAway, push
        /// More and fewer bytes than `content-length` says; more than the window allows.
        case longBody, shortBody, window
        /// A frame larger than allowed, a frame of an unknown stream, and bytes that are not HTTP/2.
        case largeFrame, otherStream, garbage
    }

    package let port: Int
    /// The path of the authority to trust, in PEM form.
    package let authoritiesFile: String
    private let address: String
    private let folder: TemporaryFolder
    private let server: ChildProgram

    package init(_ attack: Attack, address: String = "127.0.0.1") throws {
        self.address = address
        folder = try TemporaryFolder()
        authoritiesFile = folder.url.appending(path: TestCertificate.certificate).path
        try TestCertificate.make(in: folder.url, names: "IP:127.0.0.1,IP:::1,DNS:origin.test")
        server = try ChildProgram(
            [
                "/usr/bin/python3", "-c", Self.program, TestCertificate.certificate, TestCertificate.key, address,
                attack.rawValue,
            ],
            in: folder.url,
        )
        guard let port = try server.readLine(beginning: "ready ")?.split(separator: " ").last.flatMap({ Int($0) })
        else { throw CocoaError(.fileReadUnknown) }
        self.port = port
    }

    deinit { server.kill() }

    package var url: String { "https://\(address.contains(":") ? "[\(address)]" : address):\(port)/picture" }

    private static let program = #"""
        import itertools, gzip, socket, ssl, struct, sys, threading, time

        DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
        END_STREAM, END_HEADERS, ACK = 1, 4, 1

        def frame(kind, flags=0, stream=0, payload=b""):
            return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

        def integer(number, bits):  # RFC 7541, section 5.1
            limit = (1 << bits) - 1
            if number < limit:
                return bytes([number])
            out, number = [limit], number - limit
            while number >= 128:
                out, number = out + [number % 128 | 128], number // 128
            return bytes(out + [number])

        def text(value):
            return integer(len(value), 7) + value.encode()

        def field(name, value, prefix=b"\0"):
            return prefix + text(name) + text(value)

        def head(*fields, status="200"):
            return field(":status", status) + b"".join(field(*one) for one in fields)

        def bomb():
            inner = b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\0\0\0\xff\xff" * 4_000_000 + b"\1\0\0\xff\xff" + b"\0" * 8
            for _ in range(3):
                inner = gzip.compress(inner, 9)
            return inner

        def answer(stream, fields, body, end=END_STREAM):
            yield frame(HEADERS, END_HEADERS, stream, head(*fields))
            pieces = [body[start:start + 16384] for start in range(0, len(body), 16384)]
            for piece in pieces[:-1]:
                yield frame(DATA, 0, stream, piece)
            yield frame(DATA, end, stream, pieces[-1])

        def again(*frames, pause=0):
            while True:
                yield from frames
                time.sleep(pause)

        def attack(name, stream):
            begin = frame(HEADERS, END_HEADERS, stream, head(("content-type", "image/png")))
            half = answer(stream, [("content-length", "200000")], b"x" * 100_000, end=0)
            match name:
                case "none": return answer(stream, [("content-length", "100000")], b"x" * 100_000)
                case "bomb": return answer(stream, [("content-encoding", "gzip, gzip, gzip, gzip")], nested)
                case "transferEncoding": return answer(stream, [("transfer-encoding", "gzip, gzip, chunked")], nested)
                case "continuations":
                    more = b"".join(field(f"x-{n}", "y" * 100) for n in range(100))
                    return itertools.chain([frame(HEADERS, 0, stream, head())], again(frame(CONTINUATION, 0, stream, more)))
                case "emptyContinuations":
                    return itertools.chain([frame(HEADERS, 0, stream, head())], again(frame(CONTINUATION, 0, stream) * 1000))
                case "fieldBomb":
                    large = field("x", "y" * 4000, prefix=b"\x40")
                    block = field(":status", "200") + large + b"\xbe" * 10_000
                    return [frame(HEADERS, 0, stream, block[:16000]), frame(CONTINUATION, END_HEADERS, stream, block[16000:])]
                case "manyFields":
                    block = head(*[("a", "b")] * 10_000)
                    parts = [block[start:start + 16000] for start in range(0, len(block), 16000)]
                    return [frame(HEADERS, 0, stream, parts[0])] + [frame(CONTINUATION, 0, stream, part) for part in parts[1:]] + \
                        [frame(CONTINUATION, END_HEADERS, stream)]
                case "interimAnswers": return again(frame(HEADERS, END_HEADERS, stream, head(status="103")))
                case "silence": return [begin]
                case "drip": return itertools.chain([begin], again(frame(DATA, 0, stream, b"x"), pause=0.05))
                case "emptyFrames": return itertools.chain([begin], again(frame(DATA, 0, stream) * 1000))
                case "pings": return again(frame(PING, 0, 0, b"12345678") * 100)
                case "settings": return again(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535)) * 100)
                case "windowUpdates": return again(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * 100)
                case "priorities": return again(frame(PRIORITY, 0, stream, struct.pack(">IB", 0, 1)) * 100)
                case "reset": return [frame(RST_STREAM, 0, stream, struct.pack(">I", 2))]
                case "lateReset": return itertools.chain(half, [frame(RST_STREAM, 0, stream, struct.pack(">I", 2))])
                case "goAway": return itertools.chain(half, [frame(GOAWAY, 0, 0, struct.pack(">II", 0, 2))])
                case "push":
                    return itertools.chain([frame(PUSH_PROMISE, END_HEADERS, stream, struct.pack(">I", 2) + head())], half)
                case "longBody": return answer(stream, [("content-length", "10")], b"x" * 100_000)
                case "shortBody": return answer(stream, [("content-length", "200000")], b"x" * 100_000)
                case "window": return itertools.chain([begin], again(frame(DATA, 0, stream, b"x" * 16384)))
                case "largeFrame": return [begin, frame(DATA, 0, stream, b"x" * 100_000)]
                case "otherStream": return [begin, frame(DATA, 0, stream + 100, b"x")]
                case "garbage": return [b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx"]

        def exactly(connection, count):
            data = b""
            while len(data) < count:
                piece = connection.recv(count - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return data

        def serve(connection):
            try:
                connection = context.wrap_socket(connection, server_side=True)
                if connection.selected_alpn_protocol() != "h2":
                    # Whoever speaks HTTP/1.1 gets the frames all the same.
                    connection.recv(65536)
                    for piece in itertools.chain([frame(SETTINGS)], attack(sys.argv[4], 1)):
                        connection.sendall(piece)
                exactly(connection, 24)
                connection.sendall(frame(SETTINGS))
                while True:
                    first = exactly(connection, 9)
                    kind, flags, stream = first[3], first[4], struct.unpack(">I", first[5:])[0]
                    exactly(connection, int.from_bytes(first[:3], "big"))
                    if kind == SETTINGS and not flags & ACK:
                        connection.sendall(frame(SETTINGS, ACK))
                    if kind == HEADERS:
                        for piece in attack(sys.argv[4], stream):
                            connection.sendall(piece)
            except (OSError, EOFError):
                pass
            finally:
                connection.close()

        nested = bomb() if sys.argv[4] in ("bomb", "transferEncoding") else b""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        context.set_alpn_protocols(["h2"])
        family = socket.AF_INET6 if ":" in sys.argv[3] else socket.AF_INET
        listener = socket.create_server((sys.argv[3], 0), family=family)
        print("ready", listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()
        """#
}
