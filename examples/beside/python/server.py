"""A hook and a route of one's own, without dependencies: python3 server.py

SECRET is what `quire hook secret` prints, QUIRE where Quire listens, LISTEN where this
program listens.
"""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

if not os.environ.get("SECRET", "").startswith("whsec_"):
    raise SystemExit("SECRET must be what `quire hook secret` prints")
KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
QUIRE = os.environ.get("QUIRE", "http://127.0.0.1:1337")
HOST, PORT = os.environ.get("LISTEN", "127.0.0.1:4000").split(":")
SEATS = 8


def is_signed(headers, body):
    """Whether Quire has sent a body, within the last five minutes."""
    message_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    expected = hmac.new(KEY, f"{message_id}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(expected)
    return any(hmac.compare_digest(expected, one.encode()) for one in headers.get("webhook-signature", "").split())


def reservation(data):
    """Before a reservation is created or updated: refuses large ones, and writes names alike.

    Actions, such as duplicating one, have no data.
    """
    if data is None:
        return 200, {}
    if (data.get("guests") or 0) > SEATS:
        return 400, {"error": {"message": f"A table has {SEATS} seats", "details": {"seats": SEATS}}}
    if isinstance(data.get("name"), str):
        data["name"] = data["name"].strip().upper()
    return 200, {"data": data}


def free(authorization):
    """How many seats are free, for callers who may read reservations."""
    request = urllib.request.Request(f"{QUIRE}/api/reservations?pagination[pageSize]=100")
    if authorization:
        request.add_header("Authorization", authorization)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            taken = sum(one["guests"] or 0 for one in json.load(answer)["data"])
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    return 200, {"data": {"free": SEATS - taken}}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/api/reserve/free":
            self.answer(*free(self.headers.get("Authorization")))
        else:
            self.answer(404, {"error": "Not Found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/hooks":
            self.answer(404, {"error": "Not Found"})
        elif not is_signed(self.headers, body):
            self.answer(401, {"error": "wrong signature"})
        else:
            self.answer(*reservation(json.loads(body)["data"]))

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


if __name__ == "__main__":
    server = ThreadingHTTPServer((HOST, int(PORT)), Handler)
    print("listening", flush=True)
    server.serve_forever()
