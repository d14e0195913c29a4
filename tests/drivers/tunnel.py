"""What stunnel does for clients without TLS: a port in clear whose connections go on to another one by TLS."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    target.close()


@contextlib.contextmanager
def running(to: int, authority: str) -> Iterator[int]:
    """The port in clear. `authority`: the file of the certificate that vouches for the server."""
    tls = ssl.create_default_context(cafile=authority)
    tls.check_hostname = False
    loop = asyncio.new_event_loop()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", to, ssl=tls)
        await asyncio.gather(_carry(reader, back), _carry(there, writer))

    server = loop.run_until_complete(asyncio.start_server(accept, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
