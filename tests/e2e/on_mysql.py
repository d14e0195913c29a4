"""Which of these tests run on MySQL, and why the others do not.

A file that is not named here has not been gone through for MySQL yet: most of its tables and statements
are MariaDB's, or what it tests is not served there (docs/servers.md).
"""

from __future__ import annotations

import server_files

IS_MYSQL = server_files.is_mysql(server_files.SERVER_ROOT)
# What the port answers when a row breaks a CHECK.
CHECK_VIOLATED = b"1\t1\tsql_3819" if IS_MYSQL else b"1\t1\tsql_4025"

FILES = frozenset(
    {
        "test_mysql_9_7.py",
        "test_mysql_9_7_accounts.py",
        "test_ddl.py",
        "test_descending.py",
        "test_describe.py",
        "test_filters.py",
        "test_find.py",
        "test_statements.py",
        "test_waits.py",
    }
)

# The name of a test, with or without its parameters.
LEFT_OUT = {
    "test_other_engines[Aria]": "MySQL has no Aria",
    "test_idle_clients_with_open_indexes_block_nothing": "its BACKUP STAGE is MariaDB's",
    "test_an_idle_thread_holds_no_lock": "its metadata_lock_info is a plugin of MariaDB",
    "test_history_is_passed_over": "MySQL has no system versioning",
    "test_digits_of_a_second_that_the_column_lacks_count_in_a_comparison[TIME_ROUND_FRACTIONAL]": (
        "MySQL always rounds, and has no such sql_mode"
    ),
    "test_requests_of_another_kind_table_or_size_have_a_statement_of_their_own": (
        "counts statements by a table with system versioning"
    ),
    "test_an_auto_increment_that_is_waited_for_in_vain_is_a_lock_wait_timeout": (
        "MySQL takes no lock there by default (innodb_autoinc_lock_mode)"
    ),
    "test_a_description_that_is_killed_while_it_opens_the_table_is_interrupted": (
        "MySQL has no max_session_mem_used"
    ),
    "test_an_account_is_told_what_sql_shows_it": "its accounts log in by mysql_native_password, which MySQL has not",
}


def why_not(file: str, test: str) -> str | None:
    """Why the test does not run on MySQL; None: it does."""
    if file not in FILES:
        return "not gone through for MySQL yet"
    return LEFT_OUT.get(test) or LEFT_OUT.get(test.split("[")[0])
