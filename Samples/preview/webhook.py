#!/usr/bin/env python3
"""A response webhook: the work of an app's content extension, on a server.

    webhook.py [PORT [SIGNING_KEY_FILE]]

attachd posts what a person did with a notification. The answer decides what happens next: "doNotDismiss", "dismiss" or
"dismissAndForwardAction", and optionally a content that replaces the one on the screen. With attachd's signing key,
posts without its signature or older than five minutes are refused. Every response is printed as a line of JSON.
"""

import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer(response):
    """Returns the answer to a response."""
    action = response["actionIdentifier"]
    content = response["notification"]["content"]
    match content["categoryIdentifier"], action:
        case "event-invite", "accept":
            return {"option": "dismiss", "content": {"userInfo": {"reply": "Going!"}}}
        case "event-invite", "decline":
            return {"option": "dismiss", "content": {"userInfo": {"reply": "Not Going.", "declined": True}}}
        case "event-invite", "comment":
            return {"option": "dismiss", "content": {"userInfo": {"reply": "Comment sent."}}}
        case "message", "reply":
            return {"option": "doNotDismiss", "content": {"body": f"{content['body']}\nYou: {response['userText']}"}}
        case "message", "delete":
            return {"option": "dismiss"}
        case _:
            return {"option": "dismissAndForwardAction"}


def is_signed(body, header, key):
    """Returns True if attachd signed this body in the last five minutes: t=SECONDS,v1=HMAC-SHA256 of "SECONDS.BODY"."""
    fields = dict(part.partition("=")[::2] for part in header.split(","))
    seconds = fields.get("t", "")
    if not seconds.isdecimal() or abs(time.time() - int(seconds)) > 300:
        return False
    signature = hmac.new(key, seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature, fields.get("v1", ""))


class Webhook(BaseHTTPRequestHandler):
    key = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.key and not is_signed(body, self.headers.get("Attachd-Signature", ""), self.key):
            self.send_error(403)
            return
        response = json.loads(body)
        print(json.dumps(response, ensure_ascii=False), flush=True)
        content = json.dumps(answer(response)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8098
    if len(sys.argv) > 2:
        with open(sys.argv[2], "rb") as file:
            Webhook.key = file.readline().rstrip(b"\r\n")
    server = ThreadingHTTPServer(("127.0.0.1", port), Webhook)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
