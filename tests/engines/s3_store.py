"""As much of a store of S3 as the server's engine needs, in memory and on loopback. It checks no signature."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

DATE = "2024-01-02T03:04:05.000Z"
HTTP_DATE = "Tue, 02 Jan 2024 03:04:05 GMT"


class Store(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}
        self.is_gone = False  # answers nothing but errors

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Store

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def _key(self) -> str:
        """Behind the bucket."""
        return unquote(urlsplit(self.path).path).removeprefix("/").partition("/")[2]

    def _answer(self, status: int, body: bytes = b"", size: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if size is None else size))
        self.send_header("Last-Modified", HTTP_DATE)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _refuse(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode())

    def _list(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        prefix = query.get("prefix", [""])[0]
        found = [key for key in sorted(self.server.objects) if key.startswith(prefix)]
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{DATE}</LastModified>"
            f"<Size>{len(self.server.objects[key])}</Size></Contents>"
            for key in found
        )
        self._answer(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>".encode())

    def do_GET(self) -> None:
        key = self._key()
        if self.server.is_gone:
            return self._refuse(500, "InternalError")
        if not key:
            return self._list()
        if key not in self.server.objects:
            return self._refuse(404, "NoSuchKey")
        return self._answer(200, self.server.objects[key])

    def do_HEAD(self) -> None:
        found = None if self.server.is_gone else self.server.objects.get(self._key())
        if found is None:
            self._answer(500 if self.server.is_gone else 404)
        else:
            self._answer(200, size=len(found))

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.objects[self._key()] = body
        self._answer(200)

    def do_DELETE(self) -> None:
        self.server.objects.pop(self._key(), None)
        self._answer(204)


@contextmanager
def running() -> Iterator[Store]:
    with Store() as store:
        thread = threading.Thread(target=store.serve_forever)
        thread.start()
        try:
            yield store
        finally:
            store.shutdown()
            thread.join()
