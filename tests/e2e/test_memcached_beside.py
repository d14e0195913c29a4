"""The same bytes to us and to Debian's memcached: the answers are the same, but for what DIFFERENT says."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from memcached_client import TABLE, Raw
from private_server import PrivateServer, free_port

SESSION = [
    b"get x:a\r\n", b"set x:a 5 0 3\r\nabc\r\n", b"get x:a x:b x:a\r\n", b"add x:a 0 0 1\r\nz\r\n",
    b"replace x:none 0 0 1\r\nz\r\n", b"replace x:a 0 0 2\r\nzz\r\n", b"append x:a 0 0 1\r\n>\r\n",
    b"prepend x:a 0 0 1\r\n<\r\n", b"append x:none 0 0 1\r\n>\r\n", b"get x:a\r\n",
    b"incr x:a 1\r\n", b"incr x:none 1\r\n", b"set x:n 0 0 1\r\n9\r\n", b"incr x:n 1\r\n", b"decr x:n 1\r\n",
    b"get x:n\r\n", b"decr x:n 100\r\n", b"incr x:n -1\r\n", b"incr x:n a\r\n", b"incr x:n\r\n",
    b"set x:n 0 0 20\r\n18446744073709551615\r\n", b"incr x:n 1\r\n",
    b"cas x:a 0 0 1 1\r\nz\r\n", b"cas x:none 0 0 1 1\r\nz\r\n",
    b"touch x:a 0\r\n", b"touch x:none 0\r\n", b"touch x:a\r\n", b"touch x:a b\r\n",
    b"gat 0 x:a x:none\r\n", b"gat 0\r\n", b"delete x:none\r\n", b"delete x:a 0\r\n", b"delete x:n 5\r\n",
    b"set x:m 0 -1 1\r\nz\r\n", b"get x:m\r\n", b"set x:m 0 4294967295 1\r\nz\r\n", b"get x:m\r\n",
    b"set x:m 0 0 1\r\nz\r\n", b"touch x:m 4294967295\r\n", b"get x:m\r\n", b"set x:m 0 0 1\r\nz\r\n", b"gat 4294967295 x:m\r\n",
    b"get x:m\r\n", b"ms x:m 1 T4294967295\r\nz\r\n", b"mg x:m v\r\n", b"ma x:m N4294967295\r\n", b"mg x:m v\r\n", b"verbosity 1\r\n", b"verbosity\r\n",
    b"get\r\n", b"GET x:a\r\n", b"\r\n", b"nothing\r\n", b"get " + b"k" * 251 + b"\r\n",
    b"set x:a 0 0\r\n", b"set x:a a 0 1\r\n1\r\n", b"set x:a -1 0 1\r\n1\r\n", b"set x:a 0 0 x\r\n",
    b"set x:a 0 0 1\r\n12\r\n", b"set x:a 0 0 0\r\n\r\n", b"get x:a\r\n",
    b"mg x:none v\r\n", b"mg x:none\r\n", b"ms x:k 2\r\nhi\r\n", b"ms x:k 2 F3 T0 O9 k\r\nhi\r\n",
    b"mg x:k v\r\n", b"mg x:k\r\n", b"mg x:k s v f t O1 k\r\n", b"mg eDpr b v k\r\n", b"mg eDpr b k\r\n",
    b"ms x:k 1 ME\r\n1\r\n", b"ms x:z 1 MR\r\n1\r\n", b"ms x:k 1 MA\r\n!\r\n", b"ms x:k 1 MP\r\n?\r\n",
    b"mg x:k v\r\n", b"ms x:k 1 C5\r\n1\r\n", b"ms x:k 1 MX\r\n1\r\n", b"ms x:k\r\n", b"ms x:k a\r\n",
    b"ma x:c\r\n", b"ma x:c N0 J5 v\r\n", b"ma x:c v\r\n", b"ma x:c MD D2 v\r\n", b"ma x:k v\r\n",
    b"md x:c O3\r\n", b"md x:c O3 k\r\n", b"md x:c q\r\nmn\r\n", b"mn\r\n", b"mg\r\n", b"mg x:k b\r\n",
    b"mg x:k v q\r\nmg x:none v q\r\nmn\r\n",
    b"ms x:q 1 q\r\n1\r\nmn\r\n", b"ms x:q 1 q ME\r\n1\r\nmn\r\n", b"ma x:q q\r\nmn\r\n", b"ma x:no q\r\nmn\r\n",
    b"md x:no q\r\nmn\r\n", b"ms x:q 1 q C5\r\n1\r\nmn\r\n", b"mg x:k ?\r\n",
    b"mg x:none k O7 v\r\n", b"mg x:none O7 q\r\nmn\r\n", b"ma x:t N30 J5 t v\r\n", b"ma x:t t v\r\n", b"ma x:t T100 t v\r\n",
    b"mg x:t t v\r\n", b"ma x:t T0 t\r\n", b"ma x:t v k O1 q\r\nmn\r\n", b"mg x:t v t\r\n", b"delete x:none noreply 5\r\n",
    b"ms x:u 1 MR C5 c\r\n1\r\n", b"ms x:u 1 MA C5 c O1\r\n1\r\n", b"ms x:u 1 MR c k\r\n1\r\n", b"ms x:u 1 ME C5\r\n1\r\n",
    b"ms x:u 1 ME c\r\n1\r\n", b"ms x:u 1 MS C5 c q\r\n1\r\nmn\r\n", b"ma x:u C5 c t\r\n", b"ma x:none c t k\r\n", b"md x:u C5 O1\r\n",
    b"ma x:v N90 T0 t v\r\n", b"ma x:w N0 T50 t v\r\n", b"ma x:y N0 J007 v\r\n", b"mg x:u v v\r\n", b"ms x:u 1 q q\r\n1\r\n",
    b"md x:u q q\r\n", b"ma x:u q q\r\n", b"ma x:u Z\r\n", b"ms x:u 1 Z\r\n1\r\n", b"mg x:u Tx\r\n", b"ma x:u Dx\r\n",
    b"ma x:u MX\r\n", b"ma x:u N0 Jx\r\n", b"ms x:u 1 Cx\r\n1\r\n", b"md x:u Cx\r\n",
    b"set x:p +5 +0 +1\r\na\r\n", b"get x:p\r\n", b"set x:p 0 0 2\r\n10\r\n", b"incr x:p +5\r\n", b"ma x:p D+5 v\r\n",
    b"ms x:p +1 F+5 T+50\r\na\r\n", b"mg x:p f v t\r\n", b"touch x:p +0\r\n", b"touch x:p ++5\r\n", b"touch x:p +-5\r\n",
    b"gat +0 x:p\r\n", b"verbosity +1\r\n", b"ms x:p 1 Mset\r\n1\r\n", b"ms x:p 1 M\r\n1\r\n", b"ma x:p Mset\r\n", b"mg x:none O k\r\n",
    b"mg x:p O" + b"o" * 31 + b"\r\n", b"mg x:p O" + b"o" * 32 + b"\r\n", b"md x:p O" + b"o" * 32 + b"\r\n", b"me\r\n", b"me x:none v\r\n",
    b"me x:p b\r\n", b"ms x:p 1 Ms\r\n1\r\n", b"ms x:p 1 Ma\r\n1\r\n", b"ma x:p Mi\r\n", b"ma x:p Md\r\n", b"mg x:p Tx v v\r\n",
    b"mg x:p O" + b"o" * 33 + b" k Oa\r\n", b"ms x:p 1 MX MA\r\n1\r\n", b"md x:p Z q q\r\n", b"ma x:p MX N0 N0\r\n",
    b"mg x:p x x\r\n", b"mg x:p Tx x v v\r\n", b"mg x:p O" + b"o" * 33 + b" Z\r\n", b"md x:p b\r\n", b"ma x:p b\r\n",
]

# What differs, and why.
DIFFERENT = {
    b"get x:n\r\n": "memcached leaves a blank behind a number that has become shorter",
    b"gat 0\r\n": "memcached finds nothing where no key is given, as for get it says ERROR",
    b"set x:a a 0 1\r\n1\r\n": "memcached takes the data of a line that it refuses for a command",
    b"set x:a -1 0 1\r\n1\r\n": "the same",
    b"mg eDpr b v k\r\n": "memcached 1.6.18 gives the decoded key, in which a line could end",
    b"mg eDpr b k\r\n": "the same",
}


@pytest.fixture
def cache(server: PrivateServer, database: str) -> Iterator[Raw]:
    port = free_port()
    server.sql(TABLE)
    server.sql(f"SET GLOBAL handlersocket_memcached_port = '{port}'")
    yield Raw(port)
    server.sql("SET GLOBAL handlersocket_memcached_port = '0'")


@pytest.fixture
def memcached() -> Iterator[Raw]:
    port = free_port()
    with subprocess.Popen(["memcached", "-l", "127.0.0.1", "-p", str(port), "-u", "nobody"]) as process:
        deadline = time.monotonic() + 60
        while True:
            try:
                made = Raw(port)
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield made
        process.terminate()


def everything(raw: Raw, message: bytes) -> bytes:
    """What is answered, up to the answer to a command that answers in one line."""
    raw.send(message + b"version\r\n")
    got = b""
    while not re.search(rb"VERSION [^\r]*\r\n$", got):
        more = raw.socket.recv(1 << 16)
        if not more:
            return got
        got += more
    return re.sub(rb"VERSION [^\r]*\r\n$", b"", got)


def test_answers_are_those_of_memcached(cache: Raw, memcached: Raw) -> None:
    socket.setdefaulttimeout(60)
    unlike = []
    for message in SESSION:
        ours, theirs = everything(cache, message), everything(memcached, message)
        if (ours != theirs) != (message in DIFFERENT):
            unlike.append((message, ours, theirs))
    assert unlike == []
