"""Tables whose rows expire, and what the server says of them."""

from __future__ import annotations

from private_server import PrivateServer

COLUMNS = {
    "DATETIME NULL": ("NOW() + INTERVAL 1 HOUR", "NOW() - INTERVAL 1 SECOND"),
    "DATETIME(6) NULL": ("NOW(6) + INTERVAL 1 HOUR", "NOW(6)"),
    "TIMESTAMP NULL": ("NOW() + INTERVAL 1 HOUR", "NOW() - INTERVAL 1 SECOND"),
    "TIMESTAMP(3) NULL": ("NOW(3) + INTERVAL 1 HOUR", "NOW(3) - INTERVAL 1 SECOND"),
    "INT UNSIGNED NULL": ("UNIX_TIMESTAMP() + 3600", "UNIX_TIMESTAMP()"),
    "BIGINT NULL": ("UNIX_TIMESTAMP() + 3600", "1"),
    "BIGINT UNSIGNED NULL": ("18446744073709551615", "UNIX_TIMESTAMP() - 1"),
}


def create(server: PrivateServer, column: str = "DATETIME NULL", more: str = "") -> None:
    server.sql(
        f"CREATE TABLE hs.t (id INT PRIMARY KEY, a INT, v VARCHAR(10), e {column}, u INT NULL UNIQUE,"
        f" KEY a (a), KEY ae (a, e), KEY e (e){more}) COMMENT 'hs: ttl=e'"
    )
