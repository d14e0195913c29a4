"""A connection to SQL for each thread."""

import os
import threading

import pymysql

_local = threading.local()


def connection():
    if not hasattr(_local, "connection"):
        _local.connection = pymysql.connect(
            host="127.0.0.1", port=int(os.environ["SQL_PORT"]), user="shop", autocommit=True
        )
    return _local.connection
