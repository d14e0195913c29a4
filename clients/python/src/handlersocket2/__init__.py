"""Reads and writes rows of MariaDB through HandlerSocket 2.

    import handlersocket2
    db = handlersocket2.connect("hs://127.0.0.1:9998?write_port=9999")
    print(db.table("test.user").get(101))

`AsyncClient(url)` is the same for asyncio.
"""

from . import errors
from .aio import AsyncClient, AsyncTransaction
from .calls import Inserted, Replaced, Upserted
from .pipelines import AsyncPipeline, Pipeline, PipelineTable, Result
from .plain_table import Table
from .sync import Client, Transaction, connect
from .table import AsyncTable

__version__ = "2.0.0"
__all__ = [
    "AsyncClient",
    "AsyncPipeline",
    "AsyncTable",
    "AsyncTransaction",
    "Client",
    "Inserted",
    "Pipeline",
    "PipelineTable",
    "Replaced",
    "Result",
    "Table",
    "Transaction",
    "Upserted",
    "connect",
    "errors",
]
