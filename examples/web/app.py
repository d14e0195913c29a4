"""GET /user/ID, POST /user/ID/visit, GET /report: app.py PORT, with STORE=by_plugin, by_redis or by_cache."""

import importlib
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sql import connection

store = importlib.import_module(os.environ["STORE"])


def report():
    with connection().cursor() as cursor:
        cursor.execute("SELECT COUNT(*), SUM(visits), MAX(visits) FROM shop.user")
        return dict(zip(("users", "visits", "most"), map(int, cursor.fetchone())))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one write

    def do_GET(self):
        words = self.path.split("/")[1:]
        if words == ["report"]:
            self.answer(report())
        elif len(words) == 2 and words[0] == "user" and words[1].isdigit():
            self.answer(store.user(int(words[1])))
        else:
            self.answer(None)

    def do_POST(self):
        words = self.path.split("/")[1:]
        if len(words) == 3 and words[0] == "user" and words[1].isdigit() and words[2] == "visit":
            store.visit(int(words[1]))
            self.answer({})
        else:
            self.answer(None)

    def answer(self, found):
        body = json.dumps(found).encode() + b"\n"
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
