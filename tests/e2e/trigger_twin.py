"""A schema with triggers that is there twice: one is written through the port, the other one by SQL."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pymysql
from hs_client import Client, Value
from on_mysql import IS_MYSQL
from private_server import PrivateServer

TABLES = ("t", "log", "deep", "sums", "kept", "child")

SCHEMA = """
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL, must VARCHAR(20) NOT NULL,
  name VARCHAR(60) NOT NULL DEFAULT 'none', g INT AS (n * 2) STORED, w INT AS (n + 1) VIRTUAL,
  f FLOAT NULL, stamp VARCHAR(30) NOT NULL DEFAULT (CONCAT('at ', n)), KEY n (n), UNIQUE KEY name (name, must));
CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(200));
CREATE TABLE deep (id INT AUTO_INCREMENT PRIMARY KEY, v INT, doubled INT);
CREATE TABLE sums (k INT PRIMARY KEY, total INT NOT NULL);
CREATE TABLE kept (id INT PRIMARY KEY, n INT) WITH SYSTEM VERSIONING;
CREATE TABLE child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO sums VALUES (1, 0), (2, 0);
CREATE VIEW seen AS SELECT k, total FROM sums;
CREATE FUNCTION total() RETURNS INT READS SQL DATA RETURN (SELECT SUM(total) FROM seen);
CREATE FUNCTION noted(x VARCHAR(100)) RETURNS INT MODIFIES SQL DATA
  BEGIN INSERT INTO log (what) VALUES (x); RETURN LAST_INSERT_ID(); END;
CREATE PROCEDURE add_to(the_key INT, amount INT) MODIFIES SQL DATA
  BEGIN UPDATE sums SET total = total + amount WHERE k = the_key; END;
CREATE PROCEDURE forgive(the_key INT) MODIFIES SQL DATA
  BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION INSERT INTO log (what) VALUES ('forgiven');
  INSERT INTO sums VALUES (the_key, 0); END;
CREATE TRIGGER deep_bi BEFORE INSERT ON deep FOR EACH ROW SET NEW.doubled = NEW.v * 2;
CREATE TRIGGER deep_ai AFTER INSERT ON deep FOR EACH ROW
  BEGIN INSERT INTO log (what) VALUES (CONCAT('deep ', NEW.id, ' ', NEW.doubled)); CALL add_to(2, NEW.doubled); END;
CREATE TRIGGER child_bd BEFORE DELETE ON child FOR EACH ROW INSERT INTO log (what) VALUES ('never');
CREATE TRIGGER kept_ai AFTER INSERT ON kept FOR EACH ROW INSERT INTO deep (v) VALUES (NEW.n);
CREATE TRIGGER kept_bu BEFORE UPDATE ON kept FOR EACH ROW SET NEW.n = NEW.n + 1;
CREATE TRIGGER kept_au AFTER UPDATE ON kept FOR EACH ROW INSERT INTO log (what) VALUES (CONCAT(OLD.n, '>', NEW.n));
CREATE TRIGGER kept_ad AFTER DELETE ON kept FOR EACH ROW INSERT INTO log (what) VALUES (CONCAT('gone ', OLD.n));
CREATE TRIGGER t_bi BEFORE INSERT ON t FOR EACH ROW BEGIN
  IF NEW.must IS NULL THEN SET NEW.must = 'repaired'; END IF;
  IF NEW.n = 13 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not thirteen', MYSQL_ERRNO = 5013; END IF;
  IF NEW.n = 14 THEN SET NEW.n = NULL; END IF;
  IF NEW.n = 16 THEN SET NEW.id = 1600; END IF;
  SET NEW.name = CONCAT(NEW.name, '/', IFNULL(total(), 'x'), '/', NEW.g, '/', IFNULL(NEW.w, 'w'));
END;
CREATE TRIGGER t_ai AFTER INSERT ON t FOR EACH ROW BEGIN
  SET @made = noted(CONCAT('i ', NEW.id, ' ', NEW.n, ' ', NEW.g, ' ', NEW.w, ' ', NEW.stamp));
  INSERT INTO deep (v) VALUES (NEW.n), (@made);
  CALL add_to(1, NEW.n);
  CALL forgive(NEW.n);
  IF NEW.n = 15 THEN SIGNAL SQLSTATE '45000'; END IF;
  IF NEW.n = 17 THEN INSERT INTO t (n, must) VALUES (1, 'x'); END IF;
  IF NEW.n = 18 THEN INSERT INTO no_such_table VALUES (1); END IF;
  IF NEW.n = 19 THEN SET @x = no_such_function(); END IF;
END;
CREATE TRIGGER t_bu BEFORE UPDATE ON t FOR EACH ROW BEGIN
  IF NEW.n = 23 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not twenty-three'; END IF;
  IF NEW.n <> OLD.n THEN SET NEW.stamp = CONCAT(OLD.n, '>', NEW.n, ' ', NEW.g); END IF;
  IF NEW.must IS NULL THEN SET NEW.must = OLD.must; END IF;
END;
CREATE TRIGGER t_bu2 BEFORE UPDATE ON t FOR EACH ROW FOLLOWS t_bu IF NEW.n = 24 THEN SET NEW.n = 25; END IF;
CREATE TRIGGER t_au AFTER UPDATE ON t FOR EACH ROW BEGIN
  INSERT INTO log (what) VALUES (CONCAT('u ', OLD.id, ' ', OLD.n, '>', NEW.n, ' ', OLD.g, '>', NEW.g, ' ', NEW.stamp));
  CALL add_to(1, NEW.n - OLD.n);
  IF NEW.n = 27 THEN INSERT INTO sums VALUES (1, 1); END IF;
END;
CREATE TRIGGER t_bd BEFORE DELETE ON t FOR EACH ROW BEGIN
  IF OLD.n = 33 THEN SIGNAL SQLSTATE '45000'; END IF;
  INSERT INTO log (what) VALUES (CONCAT('bd ', OLD.id, ' ', OLD.must));
END;
CREATE TRIGGER t_ad AFTER DELETE ON t FOR EACH ROW BEGIN
  DELETE FROM deep WHERE v = OLD.n;
  CALL add_to(1, -OLD.n);
END
"""


if IS_MYSQL:
    SCHEMA = SCHEMA.replace(" WITH SYSTEM VERSIONING", "")


def build(server: PrivateServer, database: str) -> None:
    connection = server.connect()
    with connection.cursor() as sql:
        sql.execute(f"CREATE OR REPLACE DATABASE {database} CHARACTER SET utf8mb4")
        sql.execute(f"USE {database}")
        for statement in re.split(r";\n(?=CREATE|INSERT)", SCHEMA.strip()):
            sql.execute(statement)
    connection.close()


class Twin:
    """The same schema twice: `hs` is written through the port, `tw` by SQL."""

    def __init__(self, server: PrivateServer, writer: Client) -> None:
        self.server = server
        self.writer = writer
        for database in ("hs", "tw"):
            build(server, database)
        self.connection = server.connect(database="tw")
        self.sql = self.connection.cursor()
        self.sql.execute("SET binlog_format = ROW")
        self.columns: tuple[str, ...] = ()

    def __enter__(self) -> Twin:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.server.sql("DROP DATABASE tw")

    def open(self, table: str, *columns: str, index: str = "PRIMARY") -> None:
        self.columns = columns
        self.writer.open(f"hs.{table}", columns, index=index)

    def do(self, request: tuple[Value, ...], statement: str, values: tuple[Value, ...] = ()) -> bytes:
        """One request and its statement: the same outcome, and the same rows in all tables."""
        reply = self.writer.request(1, *request)
        try:
            self.sql.execute(statement, values)
            expected = 0
        except pymysql.Error as error:
            expected = error.args[0]
        self.connection.commit()
        found = re.match(rb"\d+\t1\tsql_(\d+)", reply)
        number = int(found[1]) if found else {b"1\t1\t121": 1062}.get(reply, 0)
        assert number == expected, (request, reply, expected)
        assert reply.startswith(b"0\t") == (expected == 0), (request, reply)
        self.compare(request)
        return reply

    def compare(self, what: object) -> None:
        for table in TABLES:
            ours, theirs = (
                self.server.sql(f"SELECT * FROM {database}.{table} ORDER BY 1") for database in ("hs", "tw")
            )
            assert ours == theirs, (what, table)

    def insert(self, *values: Value) -> bytes:
        names = ", ".join(self.columns[: len(values)])
        places = ", ".join(["%s"] * len(values))
        return self.do(
            ("+", len(values), *values), f"INSERT INTO {self.table()} ({names}) VALUES ({places})", values
        )

    def table(self) -> str:
        return "kept" if self.columns[:2] == ("id", "n") and len(self.columns) == 2 else "t"


def row_events(server: PrivateServer, position: str) -> dict[str, list[list[str]]]:
    """By database: the row events of each transaction since a GTID position."""
    log, end = server.sql("SHOW MASTER STATUS")[0][:2]
    folder = Path(server.sql("SELECT @@log_bin_basename")[0][0]).parent
    text = subprocess.run(
        [*server.program("mariadb-binlog"), "--no-defaults", "-v", "--base64-output=decode-rows",
         f"--start-position={position}", f"--stop-position={end}", folder / log],
        capture_output=True, check=True,
    ).stdout.decode(errors="replace")  # fmt: skip
    found: dict[str, list[list[str]]] = {"hs": [], "tw": []}
    for transaction in re.split(r"^(?:START TRANSACTION|BEGIN)\b", text, flags=re.M)[1:]:
        lines = re.findall(r"^### (.*)$", transaction, flags=re.M)
        named = re.search(r"`(hs|tw)`\.", "\n".join(lines))
        if named:
            found[named[1]].append([row.replace(f"`{named[1]}`.", "") for row in lines])
    return found
