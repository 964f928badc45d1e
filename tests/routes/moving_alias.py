"""A gateway of its own process before the mock provider, whose alias moves: `python moving_alias.py ADDRESS AFTER ID`.

It passes every request on, and names another model in its answers from one on. Prints its own address.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

UPSTREAM, AFTER, MOVED = sys.argv[1], int(sys.argv[2]), sys.argv[3]
ANSWERS = count(1)


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{UPSTREAM}{self.path.removeprefix('/v1')}", body, headers)
        try:
            with urllib.request.urlopen(request) as answer:
                status, told = answer.status, json.load(answer)
        except urllib.error.HTTPError as fault:
            status, told = fault.code, json.load(fault)
        if next(ANSWERS) > AFTER:
            told["model"] = MOVED
        text = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing: what is printed is the address alone."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
