"""Which tests of e2e and durability do not run on MySQL, and why."""

from __future__ import annotations

import pytest
import server_files

IS_MYSQL = server_files.is_mysql(server_files.SERVER_ROOT)
# MySQL's own default also refuses dates that are zero.
SQL_MODE = (
    {"sql_mode": "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"} if IS_MYSQL else {}
)
# What the port answers when a row breaks a CHECK.
CHECK_VIOLATED = b"1\t1\tsql_3819" if IS_MYSQL else b"1\t1\tsql_4025"

_TOOLS = "its function in the server is built for MariaDB only"
_COUNTS = "MySQL does not count what commits share"
_MARIADBS = "tests what only MariaDB has"

# Files of which no test runs.
FILES_LEFT_OUT = {
    "e2e/test_mariadb_11_8.py": _MARIADBS,
    "e2e/test_mariadb_11_8_values.py": _MARIADBS,
    "durability/test_backup.py": "mariadb-backup and BACKUP STAGE are MariaDB's",
    "e2e/test_login_methods.py": "its methods are MariaDB's; test_mysql_9_7_accounts.py has MySQL's",
    "e2e/test_moving_session.py": _TOOLS,
    "e2e/test_floor.py": _TOOLS,
}

_COLLATION = "its collation is MariaDB's"
_LONG_KEY = "MySQL has no unique index on a whole TEXT"

# The name of a test, with or without its parameters.
LEFT_OUT = {
    "test_a_faked_version_is_not_taken_for_the_servers": "MySQL's --version takes no value",
    "test_a_change_of_myisam_that_waits_for_room_holds_up_no_reads": "the wait is told to other threads on MariaDB only",
    "test_other_engines[Aria]": "MySQL has no Aria",
    "test_a_row_is_waited_for_beside_what_cannot_be_undone": (
        "MySQL refuses a transaction on tables of both kinds where GTIDs are on"
    ),
    "test_scan_begins_with_the_first_key_of_every_collation[VARCHAR(9) COLLATE utf8mb4_general_nopad_ci-keys2]": _COLLATION,
    "test_scan_begins_with_the_first_key_of_every_collation[VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_nopad_bin-keys3]": _COLLATION,
    "test_scan_begins_with_the_first_key_of_every_collation[VARCHAR(9) COLLATE uca1400_ai_ci-keys4]": _COLLATION,
    "test_idle_clients_with_open_indexes_block_nothing": "its BACKUP STAGE is MariaDB's",
    "test_an_idle_thread_holds_no_lock": "its metadata_lock_info is a plugin of MariaDB",
    "test_history_is_passed_over": "MySQL has no system versioning",
    "test_a_foreign_key_that_is_added_meanwhile_cascades": "CREATE TABLE of a child waits for all who use its parent",
    "test_requests_of_another_kind_table_or_size_have_a_statement_of_their_own": (
        "counts statements by a table with system versioning"
    ),
    "test_an_auto_increment_that_is_waited_for_in_vain_is_a_lock_wait_timeout": (
        "MySQL takes no lock there by default (innodb_autoinc_lock_mode)"
    ),
    "test_what_is_stored_is_what_sql_stores[a long unique column]": _LONG_KEY,
    "test_what_is_stored_is_what_sql_stores[a long unique column and another]": _LONG_KEY,
    "test_what_is_stored_is_what_sql_stores[MyISAM and a long unique column]": _LONG_KEY,
    "test_other_isolation_levels_store_the_same[a long unique column-READ COMMITTED]": _LONG_KEY,
    "test_other_isolation_levels_store_the_same[a long unique column-SERIALIZABLE]": _LONG_KEY,
    "test_long_unique_columns_stay_unique": _LONG_KEY,
    "test_a_name_that_is_no_text_names_nothing": (
        "MySQL takes lower_case_table_names when the data directory is made only"
    ),
    "test_a_find_on_the_write_port_sees_rows_that_the_engine_keeps_back": "tables of ARCHIVE are refused",
    "test_each_example_is_answered_as_it_stands_there": (
        "the page shows MariaDB's names of types, and its GTIDs"
    ),
    "test_a_count_reads_the_index_alone_where_it_has_all_that_is_compared": "a count reads the rows there",
    "test_all_threads_wait_for_the_same_durable_commit": _COUNTS,
    "test_many_requests_share_one_flush_of_the_logs": _COUNTS,
    "test_hello_tells_how_to_log_in_and_then_what_the_server_can_do": (
        "its account logs in in clear, by a server without a certificate"
    ),
    "test_an_answer_to_another_challenge_is_refused": "its challenge is mysql_native_password's",
    "test_a_request_is_itself_after_those_before_it_were_executed_again": "fills a cache of MariaDB's size",
    "test_digits_of_a_second_that_the_column_lacks_count_in_a_comparison": (
        "with = a time between two that the column can hold finds nothing there"
    ),
    "test_a_table_with_an_expression_that_depends_on_the_client_is_not_written": (
        "MySQL itself refuses such tables"
    ),
    "test_of_passwords_nothing_is_left_in_memory": (
        "its accounts log in by mysql_native_password; the test behind it has MySQL's"
    ),
    "test_a_server_without_tls_closes_with_an_alert": "MySQL makes a certificate for itself where it has none",
    "test_a_request_that_waits_in_vain_waits_once_if_innodb_rolls_back_all_of_it": "it waits twice there",
    "test_an_account_that_may_write_on_a_read_only_server_does": "no account does there",
    "test_no_password_is_in_any_log_or_variable": "its hash is mysql_native_password's",
    "test_commits_wait_for_room_for_the_binary_log_and_a_kill_does_not_break_it": (
        "MySQL does not show which thread waits for room"
    ),
    "test_waiting_for_room_ends_by_itself": "MySQL does not show which thread waits for room",
    "test_a_full_disk_costs_clients_of_redis_and_memcached_nothing_but_time": (
        "MySQL does not show which thread waits for room"
    ),
    "test_an_error_in_writing_the_binary_log_is_the_clients_error_until_it_is_over": (
        "MySQL ends where it can write no binary log (binlog_error_action)"
    ),
    "test_a_text_with_a_nul_or_without_end_is_refused_and_changes_nothing": (
        "looks at information_schema.SYSTEM_VARIABLES"
    ),
    "test_several_domains_are_all_waited_for": "MySQL's GTIDs have no domains",
    "test_what_waits_for_a_semisync_replica_is_not_there_yet": (
        "MySQL tells a GTID only when its change is seen, so there is none to wait for"
    ),
    "test_changes_do_what_they_would_if_the_expired_were_deleted[generated columns]": (
        "MySQL 9.7.4 itself loses entries of an index on a virtual BLOB, in SQL, too, and ends"
    ),
    "test_changes_do_what_they_would_if_the_expired_were_deleted[a long unique column]": _LONG_KEY,
    "test_a_table_that_cannot_be_opened_for_a_while_is_purged_when_it_can": (
        "takes away the file of a definition, which MySQL has not"
    ),
    "test_the_rows_before_and_after": "its TEXT column has a DEFAULT that is no expression",
    "test_rights_of_the_account_hold_inside": "its account logs in by mysql_native_password",
    "test_ids_that_are_used_up_are_not_taken_for_a_lock_of_others": (
        "SQL there draws the last id again, and says that it is in use (1062) or too large (1264)"
    ),
    "test_columns_that_an_insert_does_not_mention_get_what_sql_gives_them": (
        "a value for a generated column is 3105 there, not 1906"
    ),
    "test_what_triggers_may_not_write_is_refused": "it is written there: test_mysql_9_7_triggers.py",
    "test_an_account_is_told_what_sql_shows_it": "its accounts log in by mysql_native_password, which MySQL has not",
}


def leave_out(items: list[pytest.Item]) -> None:
    """On MySQL some tests are skipped, each with its reason."""
    for item in items if IS_MYSQL else ():
        if reason := why_not(f"{item.path.parent.name}/{item.path.name}", item.name):
            item.add_marker(pytest.mark.skip(reason=f"on MySQL: {reason}"))


def why_not(file: str, test: str) -> str | None:
    """Why the test does not run on MySQL; None: it does. `file` is named with its suite."""
    return FILES_LEFT_OUT.get(file) or LEFT_OUT.get(test) or LEFT_OUT.get(test.split("[")[0])
